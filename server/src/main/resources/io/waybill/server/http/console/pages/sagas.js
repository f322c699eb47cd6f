import { html } from '../lib/dom.js';
import { useLoad, usePages } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { go, link } from '../lib/router.js';
import { age, count, oneLine, visible } from '../lib/format.js';
import { Badge, Clamp, Empty, KeyLink, Listing, PageHead, Table, Time } from '../ui/basics.js';

const STATUSES = ['PENDING', 'EXECUTING', 'COMPENSATING', 'FORWARD_RECOVERY', 'FAILED', 'COMPLETED', 'ROLLED_BACK', 'PARTIALLY_COMMITTED'];

export default function Sagas({ query }) {
  const filter = { name: query.name, status: query.status, key: query.key, stuck: query.stuck };
  const list = usePages((cursor, signal) => api.sagas(filter, cursor, signal), [JSON.stringify(filter)], 3);
  const stats = useLoad(signal => api.sagaStatistics(signal), [], 5);
  const set = change => go(link('sagas', { ...query, ...change }));
  const names = [...new Set((stats.data?.items ?? []).map(s => s.name))].sort();
  const chosen = Object.values(filter).some(Boolean);
  return html`
    <${PageHead} title="Sagas">Long transactions of several steps. A saga that needs a person does not go on by itself.<//>
    ${stats.data?.items.length > 0 && html`<div class="chips" role="group" aria-label="Sagas by state">
      <button type="button" class="chip" aria-pressed=${query.stuck ? 'true' : 'false'} onClick=${() => set({ stuck: query.stuck ? '' : 'true' })}>Needs a person · ${count(stats.data.items.reduce((n, s) => n + s.stuck, 0))}</button>
      ${STATUSES.map(status => [status, stats.data.items.filter(s => s.status === status).reduce((n, s) => n + s.count, 0)]).filter(([status, n]) => n || status === query.status).map(([status, n]) => html`
        <button type="button" class="chip" aria-pressed=${query.status === status ? 'true' : 'false'} onClick=${() => set({ status: query.status === status ? '' : status })}>${status.toLowerCase().replaceAll('_', ' ')} · ${count(n)}</button>`)}</div>
      <form class="bar" onSubmit=${e => { e.preventDefault(); set({ key: new FormData(e.currentTarget).get('key').trim() }); }}>
        <select class="filter" aria-label="Definition" value=${query.name ?? ''} onChange=${e => set({ name: e.target.value })}><option value="">all definitions</option>${names.map(n => html`<option value=${n}>${visible(n)}</option>`)}</select>
        <div class="filter"><input name="key" aria-label="Business key" placeholder="Business key, exact" value=${query.key ?? ''} maxlength="1000" /></div><button>Filter</button></form>`}
    <${Listing} list=${list} empty=${chosen ? html`<${Empty} title="No saga matches"><a href=${link('sagas')}>Show all sagas</a>. Ended sagas are removed after their retention time.<//>`
      : html`<${Empty} title="No saga has been started">No service has started a saga in this database, or the database has no tables for sagas.<//>`}>
      ${items => html`<${Table} label="Sagas" rows=${items} rowKey=${s => s.id} columns=${[
        { name: 'State', cell: s => html`<${Badge} state=${s.status} />` },
        { name: 'Saga', width: 'text', cell: s => html`<a class="clamp" href=${link('saga', s.id)}>${oneLine(s.name)}</a> <span class="soft">v${s.version}</span>` },
        { name: 'Key', width: 'text', cell: s => html`<${KeyLink} value=${s.key} />` },
        { name: 'Needs a person', cell: s => s.stuck.length ? html`<span class="bad">${s.stuck.map(oneLine).join(', ')}</span>` : '' },
        { name: 'Age', number: true, cell: s => age((Date.parse(s.endedAt ?? new Date()) - Date.parse(s.createdAt)) / 1_000) },
        { name: 'Updated', cell: s => html`<${Time} at=${s.updatedAt} />` },
        { name: 'Next', cell: s => html`<${Time} at=${s.nextAt} />` },
        { name: 'Error', width: 'long', cell: s => html`<${Clamp} text=${s.error} />` },
      ]} />`}<//>`;
}
