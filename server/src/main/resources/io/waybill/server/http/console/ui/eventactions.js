// The actions on one event, for its page, for the failures and for the blocked keys.
import { html, useMemo } from '../lib/dom.js';
import { actionId, api } from '../lib/api.js';
import { go, link } from '../lib/router.js';
import { bytes, oneLine, visible } from '../lib/format.js';
import { confirmAction } from './dialogs.js';
import { parseJson, pretty } from '../lib/json.js';

const OUTCOMES = { replay: 'The event is pending again.', discard: 'The event was discarded.', retry: 'The next attempt is due now.', skip: 'The event was skipped; its key goes on.' };

async function act(id, action, body) {
  const outcome = await api.eventAction(id, action, body);
  return outcome.detail || OUTCOMES[action];
}

export const replay = (event, done) => confirmAction({
  title: 'Replay this dead letter', confirm: 'Replay', done,
  text: 'The event becomes pending again with all its attempts. Later events of its key may already have been published.',
  initial: { topic: '' },
  fields: (v, set) => html`<label class="field">Topic<input name="topic" class="mono" maxlength="249" value=${v.topic} onInput=${e => set({ topic: e.target.value })} placeholder=${`Empty: ${oneLine(event.topic)}`} /></label>`,
  suggestions: ['cause is fixed', 'wrong topic corrected'],
  run: (body, v) => act(event.id, 'replay', { ...body, ...(v.topic.trim() ? { topic: v.topic.trim() } : {}) }),
});

export const discard = (event, done) => confirmAction({
  title: 'Discard this dead letter', confirm: 'Discard', danger: true, done,
  text: 'The event will never be published. If it blocks its key, the next event of the key continues.',
  run: body => act(event.id, 'discard', body),
});

export const retry = (event, done) => confirmAction({
  title: 'Retry this event now', confirm: 'Retry now', done,
  text: 'The next attempt is due at once instead of after the back-off.',
  suggestions: ['cause is fixed', 'testing one event'],
  run: body => act(event.id, 'retry', body),
});

export const skip = (event, done) => confirmAction({
  title: 'Skip this event', confirm: 'Skip', danger: true, done,
  text: 'The event is discarded and will never be published. The parked events behind it continue in their order. Choose this when consumers can do without the event.',
  run: body => act(event.id, 'skip', body),
});

export const release = (key, done) => confirmAction({
  title: 'Release this key', confirm: 'Release', done,
  text: 'The parked events of the key are published although the dead letter before them is not. The dead letter stays for a later decision; if it is replayed, it arrives after them.',
  run: async body => (await api.releaseKey(key, body)).detail || 'The key goes on.',
});

/** The lines of a text that differ, with the equal lines at both ends left out. */
function changes(before, after) {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const context = 2;
  return [
    ...a.slice(Math.max(0, start - context), start).map(text => ({ text, mark: ' ' })),
    ...a.slice(start, a.length - end).map(text => ({ text, mark: '−', style: 'removed' })),
    ...b.slice(start, b.length - end).map(text => ({ text, mark: '+', style: 'added' })),
    ...a.slice(a.length - end, a.length - end + context).map(text => ({ text, mark: ' ' })),
  ];
}

function Diff({ before, after }) {
  const lines = useMemo(() => changes(before, after), [before, after]);
  if (before === after) return html`<p class="soft">No change yet.</p>`;
  return html`<div class="diff" tabindex="0" role="group" aria-label="Changes">${lines.slice(0, 400).map(l => html`<div class=${l.style ?? ''}>${l.mark} ${visible(l.text)}</div>`)}</div>`;
}

const indented = text => {
  const tree = parseJson(text);
  return tree ? pretty(tree) : text;
};

/** Opens the editor. The server refuses the change if the event has changed since its payload was loaded. */
export async function edit(event) {
  const payload = await api.payload(event.id, 1_000_000);
  if (payload.truncated || payload.masked.length || !payload.hash) {
    throw new Error(payload.masked.length ? 'A payload with masked values cannot be edited: the masks would be stored.'
      : payload.truncated ? `The payload has ${bytes(payload.size)} and is too large to edit here.` : 'You may not edit this event.');
  }
  const original = indented(payload.payload);
  const headers = JSON.stringify(event.headers, null, 2);
  confirmAction({
    title: 'Edit and replay', confirm: 'Publish the corrected event', wide: true,
    text: 'A corrected copy with a new id and the header correction-of becomes pending. This event becomes discarded in the same transaction.',
    initial: { payload: original, headers },
    fields: (v, set) => html`
      <label class="field">Payload<textarea name="payload" class="code" spellcheck=${false} value=${v.payload} onInput=${e => set({ payload: e.target.value })}></textarea></label>
      ${payload.json && !parseJson(v.payload) && html`<p class="notice warn">The payload is not JSON any more.</p>`}
      <details><summary>Headers</summary><textarea name="headers" class="code" aria-label="Headers as JSON" spellcheck=${false} value=${v.headers} onInput=${e => set({ headers: e.target.value })}></textarea></details>
      <h3>Changes</h3><${Diff} before=${original} after=${v.payload} /><${Diff} before=${headers} after=${v.headers} />`,
    run: async (body, v) => {
      let parsed;
      try {
        parsed = JSON.parse(v.headers);
      } catch {
        throw new Error('The headers are not a JSON object of texts.');
      }
      const outcome = await api.eventAction(event.id, 'edit', { ...body, payload: v.payload === original ? payload.payload : v.payload, headers: parsed, expectedHash: payload.hash });
      go(link('event', outcome.newId));
      return outcome.detail || 'The corrected event is pending.';
    },
  });
}

/** Retries or replays one event without a dialog of its own and reports what becomes of it. */
export async function tryOne(event, reason, report) {
  const action = event.state === 'DEAD_LETTER' ? 'replay' : 'retry';
  await api.eventAction(event.id, action, { reason, actionId: actionId() });
  report({ state: 'waiting' });
  for (let second = 0; second < 60; second++) {
    await new Promise(resolve => setTimeout(resolve, 1_000));
    const now = await api.event(event.id);
    if (now.state === 'PUBLISHED') return report({ state: 'published' });
    if (now.state === 'DEAD_LETTER' || now.state === 'DISCARDED') return report({ state: 'failed', error: now.lastError });
    if (action === 'retry' && now.retryCount > event.retryCount) return report({ state: 'failed', error: now.lastError });
    if (action === 'replay' && now.retryCount > 0) return report({ state: 'failed', error: now.lastError });
  }
  return report({ state: 'unknown' });
}
