import { html } from '../lib/dom.js';
import { usePages } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { go, link } from '../lib/router.js';
import { count, oneLine } from '../lib/format.js';
import { Badge, Clamp, Empty, Listing, PageHead, Table, Time } from '../ui/basics.js';

export default function Audit({ query }) {
  const filter = { actor: query.actor, action: query.action, refused: query.refused };
  const list = usePages((cursor, signal) => api.audit(filter, cursor, signal), [JSON.stringify(filter)], 10);
  const submit = event => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    go(link('audit', { actor: form.get('actor').trim(), action: form.get('action').trim(), refused: form.get('refused') }));
  };
  return html`
    <${PageHead} title="Audit">Who did what, when and why: actions, refused attempts and views of payloads. The rows are written in the transaction of the action.<//>
    <form class="bar" onSubmit=${submit}>
      ${['actor', 'action'].map(name => html`<div class="filter" key=${name}><input name=${name} aria-label=${{ actor: 'Actor', action: 'Action' }[name]} placeholder=${{ actor: 'Actor', action: 'Action, for example REPLAY' }[name]} value=${query[name] ?? ''} maxlength="200" /></div>`)}
      <select class="filter" name="refused" aria-label="Outcome" value=${query.refused ?? ''}><option value="">done and refused</option><option value="false">done</option><option value="true">refused</option></select>
      <button>Filter</button></form>
    <${Listing} list=${list} empty=${html`<${Empty} title=${Object.values(filter).some(Boolean) ? 'No entry matches' : 'No action yet'}>${Object.values(filter).some(Boolean) ? html`<a href=${link('audit')}>Show all entries</a>.` : 'No operator has changed anything in this outbox.'}<//>`}>
      ${items => html`<${Table} label="Audit" rows=${items} rowKey=${a => a.id} columns=${[
        { name: 'At', cell: a => html`<${Time} at=${a.at} />` }, { name: 'Actor', cell: a => html`<a class="clamp" href=${link('audit', { actor: a.actor })}>${oneLine(a.actor)}</a>` },
        { name: 'Action', cell: a => html`<${Badge} tone="plain">${oneLine(a.action).toLowerCase().replaceAll('_', ' ')}<//>${a.refused && html` <${Badge} tone="bad">refused<//>`}` },
        { name: 'Events', number: true, cell: a => count(a.events) }, { name: 'Reason', width: 'long', cell: a => html`<${Clamp} text=${a.reason} />` },
        { name: 'Detail', cell: a => html`<${Clamp} text=${a.detail} />` },
        { name: 'From', cell: a => html`<${Clamp} text=${a.origin} />` }, { name: 'Action id', cell: a => html`<span class="mono clamp one" title=${oneLine(a.actionId)}>${a.actionId ? oneLine(a.actionId).slice(0, 8) + '…' : ''}</span>` },
      ]} />`}<//>`;
}
