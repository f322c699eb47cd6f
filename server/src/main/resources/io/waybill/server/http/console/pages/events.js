import { html, useMemo } from '../lib/dom.js';
import { usePages } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { go, link } from '../lib/router.js';
import { parseFilter, term } from '../lib/filter.js';
import { oneLine } from '../lib/format.js';
import { ActionButton, Clamp, Empty, EventLink, EventState, KeyLink, Listing, PageHead, Table, Time } from '../ui/basics.js';
import { FilterBar } from '../ui/filterbar.js';
import { bulkDialog } from '../ui/bulk.js';

const QUICK = [
  ['Everything', ''], ['Pending', 'state:pending,claimed,parked'], ['Parked', 'state:parked'], ['Dead letters', 'state:dead-letter'],
  ['Published', 'state:published'], ['Older than 5 min', 'state:pending,claimed,parked age>5m'],
];
const ACTIONS = { DEAD_LETTER: ['replay', 'discard'], PENDING: ['retry'] };

export function eventColumns() {
  return [
    { name: 'State', cell: e => html`<${EventState} event=${e} />` },
    { name: 'Event', cell: e => html`<${EventLink} id=${e.id} />` },
    { name: 'Type', width: 'text', cell: e => html`<a class="clamp" href=${link('events', { q: term('type', e.type) })} title=${oneLine(e.type).slice(0, 2000)}>${oneLine(e.type)}</a>` },
    { name: 'Key', width: 'text', cell: e => html`<${KeyLink} value=${e.key} />` },
    { name: 'Topic', cell: e => html`<${Clamp} text=${e.topic} lines=${1} />` },
    { name: 'Appended', cell: e => html`<${Time} at=${e.createdAt} />` },
    { name: 'Attempts', number: true, cell: e => e.retryCount || '' },
    { name: 'Error', width: 'long', cell: e => html`<${Clamp} text=${e.lastError} />` },
  ];
}

export default function Events({ query }) {
  const q = query.q ?? '';
  const { parameters, problems } = parseFilter(q);
  const list = usePages((cursor, signal) => problems.length ? Promise.resolve({ items: [], next: null }) : api.events(parameters, cursor, 50, signal), [q], 5);
  const known = useMemo(() => {
    const values = name => [...new Set(list.items.map(e => e[name]).filter(Boolean))];
    return { type: [...values('type'), ...new Set(values('type').filter(t => t.includes('.')).map(t => t.slice(0, t.indexOf('.') + 1) + '*'))], key: values('key'), topic: values('topic') };
  }, [list.items.length, q]);
  const filter = text => go(link('events', { q: text }));
  const states = parameters.state?.split(',') ?? [];
  const actions = states.length === 1 ? ACTIONS[states[0]] ?? [] : [];
  return html`
    <${PageHead} title="Events" actions=${html`
      ${['replay', 'discard', 'retry'].filter(a => actions.includes(a)).map(a => html`<${ActionButton} class=${a === 'discard' ? 'danger' : ''} onClick=${() => bulkDialog(a, parameters)}>${{ replay: 'Replay all …', discard: 'Discard all …', retry: 'Retry all …' }[a]}<//>`)}
      <a class="button" href=${api.url('events.csv', parameters)} download title="At most 10,000 events">CSV</a>
      <a class="button" href=${api.url('events.jsonl', parameters)} download title="At most 10,000 events">JSONL</a>`} />
    <div class="bar"><${FilterBar} value=${q} onChange=${filter} known=${known} placeholder="state:dead-letter type:order.* key:4711 error:timeout age>5m" /></div>
    <div class="chips" role="group" aria-label="Common filters">${QUICK.map(([name, text]) => html`<button type="button" class="chip" aria-pressed=${q === text ? 'true' : 'false'} onClick=${() => filter(text)}>${name}</button>`)}</div>
    <${Listing} list=${list} empty=${q
      ? html`<${Empty} title="No event matches">The filter is <code>${oneLine(q)}</code>. Remove a word, or <a href=${link('events')}>show all events</a>. Published events are removed after the retention time.<//>`
      : html`<${Empty} title="The outbox is empty">No service has appended an event yet, or all events were published and removed after the retention time.<//>`}>
      ${items => html`<${Table} label="Events" rows=${items} rowKey=${e => e.id} columns=${eventColumns()} />`}
    <//>
    ${list.items.length > 0 && html`<p class="soft">Unsettled events come first, the oldest on top; then settled events, the newest on top.</p>`}`;
}
