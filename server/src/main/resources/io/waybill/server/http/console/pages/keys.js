import { html } from '../lib/dom.js';
import { usePages } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { age, atLeast, oneLine } from '../lib/format.js';
import { ActionButton, Badge, Clamp, Empty, EventLink, KeyLink, Listing, PageHead, Table, Time } from '../ui/basics.js';
import { release, retry, skip } from '../ui/eventactions.js';

const until = at => at && Date.parse(at) > Date.now() ? 'in ' + age((Date.parse(at) - Date.now()) / 1_000) : 'now';

export default function Keys() {
  const list = usePages((cursor, signal) => api.blockedKeys(cursor, signal), [], 5);
  const head = k => ({ id: k.headId, type: k.headType });
  return html`
    <${PageHead} title="Blocked keys">Events of one key are published in order. When the first one fails, the later ones are parked behind it until it is published, skipped or released.<//>
    <${Listing} list=${list} empty=${html`<${Empty} title="No key is blocked">No event is parked behind a failed one.<//>`}>
      ${items => html`<${Table} label="Blocked keys" rows=${items} rowKey=${k => k.key + k.headId} columns=${[
        { name: 'Key', width: 'text', cell: k => html`<${KeyLink} value=${k.key} /><span class="soft clamp one">${oneLine(k.aggregateType)}</span>` },
        { name: 'State', cell: k => html`<${Badge} state=${k.cause} />` },
        { name: 'First event', width: 'text', cell: k => html`<${EventLink} id=${k.headId} /> <${Clamp} text=${k.headType} lines=${1} />` },
        { name: 'Parked', number: true, cell: k => atLeast(k.parked.count, k.parked.atLeast) },
        { name: 'Attempts', number: true, cell: k => k.attempts },
        { name: 'Since', cell: k => html`<${Time} at=${k.since} />` },
        { name: 'Next attempt', cell: k => k.cause === 'RETRYING' ? until(k.nextAttemptAt) : html`<span class="soft">none</span>` },
        { name: 'Error', width: 'long', cell: k => html`<${Clamp} text=${k.error} />` },
        { name: '', cell: k => html`<div class="actions">
          ${k.cause === 'RETRYING' && html`<${ActionButton} onClick=${() => retry(head(k), list.reload)}>Retry now …<//>`}
          ${k.cause === 'DEAD_LETTER' && html`<${ActionButton} onClick=${() => release(k.key, list.reload)}>Release …<//>`}
          <${ActionButton} class="danger" reason=${{ PAUSED: 'The event is only paused. Resume it on the page Relays & pauses.', CLAIMED: 'A relay is sending the event at this moment.' }[k.cause] ?? null} onClick=${() => skip(head(k), list.reload)}>Skip …<//></div>` },
      ]} />`}
    <//>`;
}
