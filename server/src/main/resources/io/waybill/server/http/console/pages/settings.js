import { html } from '../lib/dom.js';
import { useCell, useLoad } from '../lib/hooks.js';
import { api, session } from '../lib/api.js';
import { zone, visible } from '../lib/format.js';
import { Badge, Fact, Loading, PageHead, Problem, Table, Time } from '../ui/basics.js';

const MEANING = { view: 'See everything but payloads', payload: 'See payloads and data of sagas', act: 'Replay, discard, retry, skip, release, pause and the other actions', edit: 'Edit and replay' };

export default function Settings() {
  const who = useCell(session);
  const zoned = useCell(zone);
  const permissions = useLoad(signal => api.permissions(signal), []);
  const outboxes = useLoad(signal => api.outboxes(signal), []);
  const roles = permissions.data?.roles ?? [];
  return html`
    <${PageHead} title="Settings & permissions" />
    <div class="grid">
      <section class="card" aria-label="You"><h2>You</h2><dl class="facts">
        <${Fact} name="User">${who.user ? visible(who.user) : 'without sign-in, from this computer'}<//><${Fact} name="Role">${who.role}<//>
        <${Fact} name="Session ends"><${Time} at=${who.expiresAt} full /><//><${Fact} name="Instance">${visible(who.instance)}${who.readOnly ? html` <${Badge} tone="warn">read-only<//>` : ''}<//><${Fact} name="Version">${who.version}<//>
      </dl>
      <h3>Times</h3><label class="check"><input type="radio" name="zone" checked=${zoned === 'local'} onChange=${() => zone.set('local')} /> Local time of this computer (${Intl.DateTimeFormat().resolvedOptions().timeZone})</label>
      <label class="check"><input type="radio" name="zone" checked=${zoned === 'utc'} onChange=${() => zone.set('utc')} /> UTC</label></section>
      <section class="card" aria-label="Your permissions"><h2>Your permissions</h2><ul class="reasons">${Object.entries(MEANING).map(([name, text]) => html`<li key=${name}><${Badge} tone=${who.permissions.includes(name) ? 'good' : 'plain'}>${who.permissions.includes(name) ? 'allowed' : 'not allowed'}<//> ${text}</li>`)}</ul>
        ${who.readOnly && html`<p class="notice">This instance is read-only: actions are refused for every role.</p>`}</section>
    </div>
    ${outboxes.data && html`<section class="card flush" aria-label="Outboxes"><header><h2>Outboxes</h2></header><${Table} label="Outboxes" rows=${outboxes.data.items} rowKey=${o => o.name} columns=${[
      { name: 'Name', cell: o => visible(o.name) }, { name: 'State', cell: o => html`<${Badge} tone=${{ ok: 'good', warning: 'warn', down: 'bad' }[o.state]}>${o.state}<//> ${visible(o.detail)}` },
      { name: 'Engine', cell: o => o.engine }, { name: 'Database', cell: o => html`<span class="mono">${visible(o.database)}</span> <span class="soft">${visible(o.databaseProduct)}</span>` },
      { name: 'Broker', cell: o => html`<span class="mono">${visible(o.broker)}</span>` }, { name: 'Layout', cell: o => visible(o.layout ?? 'Waybill') },
    ]} /></section>`}
    ${permissions.loading ? html`<${Loading} />` : permissions.error ? html`<${Problem} error=${permissions.error} />` : html`
      <section class="card flush" aria-label="Roles"><header><h2>Roles</h2></header><${Table} label="Roles" rows=${Object.keys(MEANING)} rowKey=${p => p} columns=${[
        { name: 'Permission', cell: p => MEANING[p] }, ...roles.map(r => ({ name: r.role, cell: () => '' })).map((c, i) => ({ ...c, cell: p => roles[i].permissions.includes(p) ? html`<span class="good">yes</span>` : html`<span class="soft">no</span>` })),
      ]} /></section>
      <details class="card"><summary>Routes of the API and their roles</summary><${Table} label="Routes" rows=${permissions.data.routes} rowKey=${r => r.method + r.path} columns=${[
        { name: 'Method', cell: r => html`<code>${r.method}</code>` }, { name: 'Path', cell: r => html`<code>${r.path}</code>` }, { name: 'Role', cell: r => r.role }, { name: 'Permission', cell: r => r.permission ?? '–' },
      ]} /></details>`}`;
}
