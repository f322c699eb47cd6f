// Failed events, grouped by error. The way of an operator: look at the sample, retry one, watch it, then retry all.
import { html, useState } from '../lib/dom.js';
import { useLoad } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { link } from '../lib/router.js';
import { term } from '../lib/filter.js';
import { count, oneLine, plural, visible } from '../lib/format.js';
import { ActionButton, Badge, Empty, EventLink, Listing, PageHead, Problem, Time } from '../ui/basics.js';
import { bulkDialog } from '../ui/bulk.js';
import { tryOne } from '../ui/eventactions.js';
import { Sparkline } from '../ui/charts.js';
import { pauseDialog } from '../ui/pauses.js';

const KEPT = 120;
const SHORTEST_FRAGMENT = 6;
const LONGEST_FRAGMENT = 200;
/** The counts of each group since the page of the console was opened. */
const trends = new Map();

function remember(groups) {
  for (const g of groups) {
    const id = groupId(g);
    trends.set(id, [...(trends.get(id) ?? []), g.count].slice(-KEPT));
  }
  return groups;
}

const groupId = g => g.fingerprint;

const PLACEHOLDER = /<(?:value|id|key|address|number)>/;

/** The longest part of the normalised error: a text that the errors of all events of the group contain. */
function fragment(g) {
  return g.error.split(PLACEHOLDER).map(part => part.trim()).filter(part => part.length >= SHORTEST_FRAGMENT && part.length <= LONGEST_FRAGMENT && g.sampleError.includes(part))
    .sort((a, b) => b.length - a.length)[0];
}

const parameters = (g, state) => ({ state, type: g.type, topic: g.topic, error: fragment(g) });

const query = (g, state) => [`state:${state}`, term('type', g.type), term('topic', g.topic), fragment(g) ? term('error', fragment(g)) : ''].filter(Boolean).join(' ');

function Trial({ group, reload }) {
  const [trial, setTrial] = useState(null);
  const start = async () => {
    setTrial({ state: 'starting' });
    try {
      const event = await api.event(group.sampleId);
      if (event.state !== 'DEAD_LETTER' && event.state !== 'PENDING') {
        setTrial({ state: 'gone' });
        reload();
        return;
      }
      await tryOne(event, `Retry of one event of the failure “${oneLine(group.error).slice(0, 200)}”`, result => {
        setTrial(result);
        if (result.state !== 'waiting') reload();
      });
    } catch (error) {
      setTrial({ state: 'error', error });
    }
  };
  const running = trial?.state === 'starting' || trial?.state === 'waiting';
  return html`<${ActionButton} class=${trial?.state === 'published' ? '' : 'primary'} reason=${running ? 'The event is being attempted.' : null} onClick=${start}>${running ? 'Watching …' : 'Retry one'}<//>
    <span role="status">${{
      waiting: html`<${Badge} tone="info">waiting for its attempt<//>`,
      published: html`<${Badge} tone="good">the event was published: retry the others<//>`,
      failed: html`<${Badge} tone="bad">it failed again<//> <span class="mono">${oneLine(trial?.error).slice(0, 200)}</span>`,
      unknown: html`<${Badge} tone="warn">no attempt within a minute: does a relay run?<//>`,
      gone: html`<${Badge} tone="plain">the sample was settled meanwhile<//>`,
    }[trial?.state] ?? ''}</span>
    ${trial?.state === 'error' && html`<${Problem} error=${trial.error} />`}`;
}

function Group({ group: g, reload }) {
  const trend = trends.get(groupId(g)) ?? [g.count];
  return html`<li class="card" aria-label=${oneLine(g.error).slice(0, 200)}>
    <header><div><h2 class="clamp" title=${visible(g.error).slice(0, 2_000)}>${oneLine(g.error) || 'No error text'}</h2></div>
      <div class="actions"><${Sparkline} values=${trend} label=${`Number of events since this page was opened: ${trend.at(0)} to ${trend.at(-1)}`} /><strong>${plural(g.count, 'event')}</strong></div></header>
    <dl class="facts">
      <div><dt>Type</dt><dd><a class="clamp" href=${link('events', { q: term('type', g.type) })}>${oneLine(g.type)}</a></dd></div>
      <div><dt>Topic</dt><dd class="mono clamp">${oneLine(g.topic)}</dd></div>
      <div><dt>Retrying</dt><dd>${g.retrying ? html`<a href=${link('events', { q: query(g, 'pending') })}>${count(g.retrying)}</a>` : '0'}</dd></div>
      <div><dt>Dead letters</dt><dd>${g.deadLetters ? html`<a class="bad" href=${link('events', { q: query(g, 'dead-letter') })}>${count(g.deadLetters)}</a>` : '0'}</dd></div>
      <div><dt>First</dt><dd><${Time} at=${g.firstAt} /></dd></div>
      <div><dt>Last</dt><dd><${Time} at=${g.lastAt} /></dd></div>
      <div><dt>Sample</dt><dd><${EventLink} id=${g.sampleId} /></dd></div>
    </dl>
    <details><summary>Error of the sample</summary><pre tabindex="0" aria-label="Error of the sample">${visible(g.sampleError)}</pre></details>
    <div class="actions"><${Trial} group=${g} reload=${reload} />
      ${g.retrying > 0 && html`<${ActionButton} onClick=${() => bulkDialog('retry', parameters(g, 'PENDING'))}>Retry all now …<//>`}
      ${g.deadLetters > 0 && html`<${ActionButton} onClick=${() => bulkDialog('replay', parameters(g, 'DEAD_LETTER'))}>Replay all dead letters …<//>
        <${ActionButton} class="danger" onClick=${() => bulkDialog('discard', parameters(g, 'DEAD_LETTER'))}>Discard all …<//>`}
      <${ActionButton} onClick=${() => pauseDialog({ scope: 'TOPIC', value: g.topic })}>Pause …<//></div>
  </li>`;
}

export default function Failures() {
  const list = useLoad(async signal => {
    const found = await api.failures(signal);
    remember(found.items);
    return found;
  }, [], 5);
  return html`
    <${PageHead} title="Failures">Events that failed at least once and are not published, grouped by error. Retry one, watch it, then retry the others.<//>
    ${list.data?.cut && html`<p class="notice warn">Only the newest ${count(list.data.examined)} failed events are grouped. There are more; the counts are lower bounds.</p>`}
    ${!list.data?.items.length
      ? html`<${Listing} list=${list} empty=${html`<${Empty} title="No event has failed">Every appended event was published, or waits for its first attempt. Failures of consumers are on the page <a href=${link('inbox')}>Inbox</a>.<//>`} />`
      : html`<${Problem} error=${list.error} retry=${list.reload} /><ul class="reasons">${list.data.items.map(g => html`<${Group} key=${groupId(g)} group=${g} reload=${list.reload} />`)}</ul>`}`;
}
