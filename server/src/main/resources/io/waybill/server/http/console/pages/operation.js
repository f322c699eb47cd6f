import { html } from '../lib/dom.js';
import { useLoad, usePages } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { link } from '../lib/router.js';
import { atLeast, count, oneLine, plural, visible } from '../lib/format.js';
import { ActionButton, Badge, Clamp, Empty, EventLink, Fact, Listing, Loading, PageHead, Problem, Table, Time } from '../ui/basics.js';
import { confirmAction } from '../ui/dialogs.js';
import { confirmDraft, FilterText } from '../ui/bulk.js';
import { Progress } from './operations.js';

const TONES = { DONE: 'good', FAILED: 'bad', SKIPPED: 'plain' };

export default function Operation({ parts: [id] }) {
  const { data: o, error, loading, reload } = useLoad(signal => api.operation(id, signal), [id], 1);
  const results = usePages((cursor, signal) => api.operationResults(id, cursor, signal), [id, o?.state], o?.state === 'RUNNING' ? 3 : 0);
  if (!o) return html`<${PageHead} title="Operation" />${loading ? html`<${Loading} />` : html`<${Problem} error=${error} retry=${reload} />`}`;
  const ended = ['DONE', 'CANCELLED', 'FAILED'].includes(o.state);
  const cancel = () => confirmAction({ title: 'Cancel this operation', confirm: 'Cancel the operation', danger: true, done: reload, text: 'Events that are finished stay as they are; the others are not touched.', run: async body => { await api.operationAction(id, 'cancel', body); return 'Cancelled.'; } });
  return html`
    <${PageHead} title=${`${oneLine(o.action)[0].toUpperCase()}${oneLine(o.action).slice(1)} ${plural(o.total, 'event')}`} actions=${html`
      ${o.state === 'DRAFT' && html`<${ActionButton} class="primary" onClick=${() => confirmDraft(o, reload)}>Confirm …<//>`}
      ${!ended && html`<${ActionButton} class="danger" onClick=${cancel}>Cancel …<//>`}`}><${Badge} state=${o.state} /> ${visible(o.actor)}: ${visible(o.reason)}<//>
    <${Problem} error=${error} />
    <section class="card" aria-label="Progress"><${Progress} operation=${o} />
      <dl class="facts">
        <${Fact} name="Total">${atLeast(o.total, o.totalAtLeast)}<//><${Fact} name="Done"><span class="good">${count(o.done)}</span><//><${Fact} name="Failed"><span class=${o.failed ? 'bad' : ''}>${count(o.failed)}</span><//>
        <${Fact} name="Skipped, because they changed meanwhile">${count(o.skipped)}<//><${Fact} name="Rate limit">${o.ratePerSecond ? `${count(o.ratePerSecond)}/s` : 'none'}<//><${Fact} name="Created"><${Time} at=${o.createdAt} full /><//><${Fact} name="Ended"><${Time} at=${o.endedAt} full /><//>
      </dl>
      <div>Filter: <${FilterText} filter=${o.filter} /></div>
      ${o.arrivedSince > 0 && html`<p class="notice warn">${plural(o.arrivedSince, 'more event', 'more events')} arrived meanwhile. This operation does not change them; <a href=${link('failures')}>start another one</a>.</p>`}
      ${o.error && html`<p class="bad">${visible(o.error)}</p>`}</section>
    <h2>Outcome of each event</h2>
    <${Listing} list=${results} empty=${html`<${Empty} title="No outcome yet">${o.state === 'DRAFT' ? 'Confirm the operation to start it.' : 'The first events are being changed.'}<//>`}>
      ${items => html`<${Table} label="Outcomes" rows=${items} rowKey=${r => r.eventId} columns=${[
        { name: 'Event', cell: r => html`<${EventLink} id=${r.eventId}>${r.eventId}<//>` },
        { name: 'Outcome', cell: r => html`<${Badge} tone=${TONES[r.outcome.toUpperCase()] ?? 'plain'}>${oneLine(r.outcome).toLowerCase()}<//>` },
        { name: 'Detail', width: 'long', cell: r => html`<${Clamp} text=${r.detail} />` },
      ]} />`}<//>`;
}
