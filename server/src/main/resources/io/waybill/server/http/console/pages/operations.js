import { html } from '../lib/dom.js';
import { usePages } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { link } from '../lib/router.js';
import { count, oneLine } from '../lib/format.js';
import { Badge, Clamp, Empty, Listing, PageHead, Table, Time } from '../ui/basics.js';
import { FilterText } from '../ui/bulk.js';

export function Progress({ operation: o }) {
  const share = n => ({ width: `${o.total ? Math.min(100, n / o.total * 100) : 0}%` });
  const ended = o.done + o.failed + o.skipped;
  return html`<div class="progress" role="progressbar" aria-label="Progress" aria-valuemin="0" aria-valuemax=${Math.max(o.total, 1)} aria-valuenow=${Math.min(ended, Math.max(o.total, 1))}>
    <i style=${share(o.done)}></i><i class="bad" style=${share(o.failed)}></i><i class="skipped" style=${share(o.skipped)}></i></div>`;
}

export default function Operations() {
  const list = usePages((cursor, signal) => api.operations(cursor, signal), [], 2);
  return html`
    <${PageHead} title="Operations">Actions on many events: counted first, confirmed, run in chunks with a rate limit, and finished by another process after a crash. Begin one on the page <a href=${link('failures')}>Failures</a> or <a href=${link('events', { q: 'state:dead-letter' })}>Events</a>.<//>
    <${Listing} list=${list} empty=${html`<${Empty} title="No operation yet">Filter dead letters on the page Events, or choose a group of failures, and act on all of them.<//>`}>
      ${items => html`<${Table} label="Operations" rows=${items} rowKey=${o => o.id} columns=${[
        { name: 'Operation', cell: o => html`<a href=${link('operation', o.id)}>${oneLine(o.action)} ${count(o.total)}</a>` },
        { name: 'State', cell: o => html`<${Badge} state=${o.state} />` },
        { name: 'Progress', cell: o => html`<${Progress} operation=${o} />` },
        { name: 'Filter', cell: o => html`<${FilterText} filter=${o.filter} />` },
        { name: 'By', cell: o => oneLine(o.actor) }, { name: 'Reason', width: 'long', cell: o => html`<${Clamp} text=${o.reason} />` },
        { name: 'Created', cell: o => html`<${Time} at=${o.createdAt} />` },
      ]} />`}<//>`;
}
