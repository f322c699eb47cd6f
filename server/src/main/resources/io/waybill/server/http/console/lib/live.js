// Live samples of the overview. One EventSource per tab; polling when the stream does not work; nothing while the tab is hidden.
import { cell } from './dom.js';
import { api, ApiError, outbox, session } from './api.js';

const KEPT_SAMPLES = 300;
const POLL_SECONDS = 5;
const FAILURES_BEFORE_POLLING = 3;
const STREAM_RETRY_SECONDS = 60;

/** {state: 'connecting' | 'live' | 'polling' | 'paused' | 'lost', overview, samples, error} */
export const live = cell({ state: 'connecting', overview: null, samples: [], error: null });

let source = null;
let poller = 0;
let failures = 0;
let pausedByUser = false;

const update = change => live.set({ ...live.get(), ...change });

function sample(overview, state) {
  failures = 0;
  const samples = [...live.get().samples, {
    at: Date.parse(overview.at),
    in: overview.inPerSecond ?? 0,
    out: overview.outPerSecond,
    pending: overview.pending,
    age: overview.oldestAgeSeconds,
    failing: overview.deadLetters + overview.retrying,
  }].slice(-KEPT_SAMPLES);
  update({ state, overview, samples, error: null });
}

function stop() {
  source?.close();
  source = null;
  clearTimeout(poller);
}

function stream() {
  stop();
  if (typeof EventSource === 'undefined') return poll();
  const opened = source = new EventSource(api.url('stream'));
  opened.addEventListener('overview', message => {
    if (source === opened) sample(JSON.parse(message.data), 'live');
  });
  // The server answers, but its database does not.
  opened.addEventListener('problem', message => {
    const problem = JSON.parse(message.data);
    if (source === opened) update({ state: 'lost', error: new ApiError(problem.status, problem) });
  });
  opened.addEventListener('error', () => {
    if (source !== opened) return;
    stop();
    failures++;
    update({ state: live.get().overview ? 'lost' : 'connecting' });
    // An EventSource hides the status of the answer; a usual request tells why.
    if (!live.get().overview || failures >= FAILURES_BEFORE_POLLING) poll();
    else poller = setTimeout(stream, 1_000 * failures);
  });
}

async function poll(since = Date.now()) {
  stop();
  const current = poller = setTimeout(() => {}, 0);
  try {
    const overview = await api.overview();
    if (poller !== current) return;
    sample(overview, 'polling');
  } catch (error) {
    if (poller !== current) return;
    update({ state: 'lost', error });
  }
  poller = setTimeout(
    () => Date.now() - since > STREAM_RETRY_SECONDS * 1_000 ? stream() : poll(since), POLL_SECONDS * 1_000);
}

function signedIn() {
  return session.get()?.permissions?.includes('view');
}

function active() {
  return signedIn() && !document.hidden && !pausedByUser;
}

/** Starts or stops the stream, as the session, the tab and the pause button say. */
export function follow() {
  if (active()) {
    update({ state: 'connecting' });
    failures = 0;
    stream();
  } else {
    stop();
    update({ state: 'paused' });
  }
}

export function togglePause() {
  pausedByUser = !pausedByUser;
  follow();
}

export const isPausedByUser = () => pausedByUser;

document.addEventListener('visibilitychange', follow);
// A page that loads other content must not keep its connection.
addEventListener('pagehide', stop);
session.subscribe(follow);
outbox.subscribe(() => {
  live.set({ state: 'connecting', overview: null, samples: [], error: null });
  follow();
});

/** Repeats a function while the tab is visible and updates are not paused. */
export const clock = {
  every(seconds, run) {
    const timer = setInterval(() => {
      if (active()) run();
    }, seconds * 1_000);
    return () => clearInterval(timer);
  },
};
