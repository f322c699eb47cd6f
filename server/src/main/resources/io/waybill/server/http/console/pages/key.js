// Everything about one business key: what was sent, what was received, its sagas, and what blocks it.
import { html } from '../lib/dom.js';
import { usePages } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { link } from '../lib/router.js';
import { oneLine } from '../lib/format.js';
import { ActionButton, Badge, Clamp, Copy, Empty, EventLink, eventState, EventState, Loading, PageHead, Problem, Table, Time, tone } from '../ui/basics.js';
import { pauseDialog } from '../ui/pauses.js';
import { release, retry, skip } from '../ui/eventactions.js';

const failed = e => e.state === 'DEAD_LETTER' || eventState(e) === 'RETRYING';

export default function Key({ parts: [key] }) {
  const list = usePages(async (cursor, signal) => {
    const trail = await api.trail(key, cursor, signal);
    return { ...trail, items: trail.events };
  }, [key], 5);
  if (!list.data) return html`<${PageHead} title="Key" />${list.loading ? html`<${Loading} />` : html`<${Problem} error=${list.error} retry=${list.reload} />`}`;
  const { inbox, sagas } = list.data;
  const events = list.items;
  const parked = events.filter(e => e.state === 'PARKED').length;
  const head = events.find(failed);
  const nothing = !events.length && !inbox.length && !sagas.length;
  return html`
    <${PageHead} title=${html`Key <span class="mono">${oneLine(key)}</span>`} actions=${html`
      ${!nothing && html`<${ActionButton} onClick=${() => pauseDialog({ scope: 'KEY', value: key }, list.reload)}>Pause …<//>`}
      <${Copy} text=${location.href} label="Copy link" />`} />
    <${Problem} error=${list.error} />
    ${nothing && html`<div class="card"><${Empty} title="Nothing is known about this key">No event, no inbox mark and no saga has exactly this key; upper and lower case differ. Settled events are removed after the retention time. To find a part of a text, use the filters of the page <a href=${link('events')}>Events</a>.<//></div>`}
    ${head && parked > 0 && html`<div class="reason error"><${Badge} state=${eventState(head)} />
      <div><p>${parked === 1 ? 'One event is' : `${parked}${list.next ? '+' : ''} events are`} parked behind <${EventLink} id=${head.id}>${oneLine(head.type)}<//>.</p><p class="mono">${oneLine(head.lastError).slice(0, 400)}</p></div>
      <div class="actions">${head.state === 'DEAD_LETTER' ? html`<${ActionButton} onClick=${() => release(key, list.reload)}>Release …<//>` : html`<${ActionButton} onClick=${() => retry(head, list.reload)}>Retry now …<//>`}
        <${ActionButton} class="danger" onClick=${() => skip(head, list.reload)}>Skip …<//></div></div>`}
    ${sagas.length > 0 && html`<section class="card flush" aria-label="Sagas"><header><h2>Sagas</h2></header><${Table} label="Sagas" rows=${sagas} rowKey=${s => s.id} columns=${[
      { name: 'Saga', width: 'text', cell: s => html`<a href=${link('saga', s.id)}>${oneLine(s.name)}</a>` },
      { name: 'State', cell: s => html`<${Badge} state=${s.status} />${s.stuck.length > 0 && html` <${Badge} tone="bad">needs a person<//>`}` },
      { name: 'Started', cell: s => html`<${Time} at=${s.createdAt} />` },
      { name: 'Updated', cell: s => html`<${Time} at=${s.updatedAt} />` },
      { name: 'Error', width: 'long', cell: s => html`<${Clamp} text=${s.error} />` },
    ]} /></section>`}
    ${inbox.length > 0 && html`<section class="card flush" aria-label="Received"><header><h2>Received</h2></header><${Table} label="Inbox" rows=${inbox} rowKey=${m => m.group + m.eventId} columns=${[
      { name: 'Group', width: 'text', cell: m => html`<a href=${link('inbox', m.group)}>${oneLine(m.group)}</a>` },
      { name: 'Event', cell: m => m.state === 'DEAD_LETTER' ? html`<a class="mono" href=${link('deadletter', m.group, m.eventId)}>${m.eventId.slice(0, 8)}…</a>` : html`<${EventLink} id=${m.eventId} />` },
      { name: 'State', cell: m => html`<${Badge} state=${m.state} />` },
      { name: 'At', cell: m => html`<${Time} at=${m.at} />` },
      { name: 'Error', width: 'long', cell: m => html`<${Clamp} text=${m.error} />` },
    ]} /></section>`}
    ${events.length > 0 && html`<section class="card" aria-label="Sent"><header><h2>Sent, in order</h2></header>
      <ol class="timeline">${events.map(e => html`<li key=${e.id} class=${tone(eventState(e))}><div><div class="line"><${EventLink} id=${e.id} /><strong>${oneLine(e.type)}</strong><${EventState} event=${e} /><${Time} at=${e.createdAt} />${e.aggregateVersion !== null && html`<span class="soft">version ${e.aggregateVersion}</span>`}</div>
        ${e.lastError && e.state !== 'PUBLISHED' && html`<div class="soft mono clamp">${oneLine(e.lastError).slice(0, 400)}</div>`}</div></li>`)}</ol>
      ${list.next && html`<div class="more-row"><button type="button" onClick=${list.loadMore}>${list.loadingMore ? 'Loading …' : 'Show more'}</button></div>`}</section>`}`;
}
