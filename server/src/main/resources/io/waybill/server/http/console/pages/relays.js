import { html } from '../lib/dom.js';
import { useCell } from '../lib/hooks.js';
import { live } from '../lib/live.js';
import { age, count, oneLine, rate, visible } from '../lib/format.js';
import { ActionButton, Badge, Clamp, Empty, Loading, PageHead, Problem, Table, Time } from '../ui/basics.js';
import { PauseList, pauseDialog } from '../ui/pauses.js';

const COLOURS = 8;

export default function Relays() {
  const { overview: o, error } = useCell(live);
  if (!o) return html`<${PageHead} title="Relays & pauses" />${error ? html`<${Problem} error=${error} />` : html`<${Loading} />`}`;
  const owners = [...new Set(o.lanes.map(l => l.owner).filter(Boolean))].sort();
  const colour = owner => owners.indexOf(owner) % COLOURS;
  const free = o.lanes.filter(l => !l.owner);
  return html`
    <${PageHead} title="Relays & pauses" actions=${html`<${ActionButton} onClick=${() => pauseDialog({ scope: 'RELAY' })}>Pause all relays …<//><${ActionButton} class="primary" onClick=${() => pauseDialog()}>Pause …<//>`}>Relays read the outbox and publish. Each lane, a share of the keys, belongs to one relay at a time.<//>
    <section aria-label="Pauses">${o.pauses.length ? html`<${PauseList} pauses=${o.pauses} />` : html`<p class="soft">Nothing is paused.</p>`}</section>
    <section class="card" aria-label="Lanes"><header><h2>Lanes</h2><span class="soft">${count(o.lanes.length)} lanes${free.length ? html`, <span class="bad">${count(free.length)} without a relay</span>` : ''}. A dot marks events that wait for their first attempt.</span></header>
      ${owners.length > 0 && html`<div class="legend">${owners.map(owner => html`<b><i class=${'swatch owner-' + colour(owner)}></i><span class="mono">${oneLine(owner).slice(0, 60)}</span></b>`)}</div>`}
      ${o.lanes.length ? html`<ol class="lanes">${o.lanes.map(l => html`<li key=${l.lane} class=${`lane ${l.owner ? 'owner-' + colour(l.owner) : 'free'} ${l.waiting ? 'waiting' : ''}`}
        title=${`Lane ${l.lane}: ${l.owner ? `${visible(l.owner)}, fence ${l.fence}, lease ${age(l.remainingSeconds)}` : 'no relay'}${l.waiting ? `, oldest event ${age(l.lagSeconds)}` : ''}`}>${l.lane}</li>`)}</ol>` : html`<${Empty} title="No lanes">The first relay creates them.<//>`}</section>
    <section class="card flush" aria-label="Relays"><header><h2>Relays</h2></header>
      ${o.relays.length ? html`<${Table} label="Relays" rows=${o.relays} rowKey=${r => r.name + r.startedAt} columns=${[
        { name: 'Name', cell: r => html`<span class="mono"><${Clamp} text=${r.name} /></span>` },
        { name: 'State', cell: r => html`<${Badge} tone=${!r.live ? 'plain' : r.serving ? 'good' : 'bad'}>${!r.live ? 'gone' : r.serving ? 'live' : 'broker does not answer'}<//>` },
        { name: 'Lanes', number: true, cell: r => r.lanes }, { name: 'Rate', number: true, cell: r => r.live ? rate(r.publishedPerSecond) : '–' },
        { name: 'Published', number: true, cell: r => count(r.publishedTotal) }, { name: 'Heartbeat', number: true, cell: r => age(r.secondsSinceHeartbeat) + ' ago' },
        { name: 'Started', cell: r => html`<${Time} at=${r.startedAt} />` }, { name: 'Version', cell: r => visible(r.version) }, { name: 'Place', cell: r => html`<${Clamp} text=${r.place} />` },
      ]} />` : html`<${Empty} title="No relay has ever run">Start one with ./waybill run, or in your service.<//>`}</section>`;
}
