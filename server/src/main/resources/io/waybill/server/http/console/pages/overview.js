import { html } from '../lib/dom.js';
import { useCell } from '../lib/hooks.js';
import { live } from '../lib/live.js';
import { link } from '../lib/router.js';
import { age, count, oneLine, plural, rate, visible } from '../lib/format.js';
import { ActionButton, Badge, Clamp, Loading, PageHead, Problem, Table, Time } from '../ui/basics.js';
import { Chart } from '../ui/charts.js';
import { icons } from '../ui/icons.js';
import { PauseList, pauseDialog } from '../ui/pauses.js';

function verdict(o, lost) {
  if (lost) return { tone: 'bad', icon: icons.stop, title: 'These numbers are old', text: 'The server or its database does not answer.' };
  const errors = o.reasons.filter(r => r.severity === 'error');
  const warnings = o.reasons.filter(r => r.severity === 'warning');
  const waiting = o.pending > 0 ? `The oldest pending event is ${age(o.oldestAgeSeconds)} old.` : 'Nothing is pending.';
  if (errors.length) {
    const moves = o.outPerSecond > 0;
    return { tone: 'bad', icon: icons.stop, title: moves ? 'Events flow, but ' + plural(errors.length, 'problem needs', 'problems need') + ' you' : 'Nothing is being delivered', text: waiting };
  }
  if (warnings.length) return { tone: 'warn', icon: icons.alert, title: o.outPerSecond > 0 || !o.pending ? 'Events flow, with ' + plural(warnings.length, 'warning') : 'Events wait', text: waiting };
  return { tone: 'good', icon: icons.check, title: 'Events flow', text: waiting };
}

const Tile = ({ name, value, more, href, tone = '' }) => {
  const content = html`<span class="name">${name}</span><span class="value">${value}</span><span class="more">${more}</span>`;
  return href ? html`<a class=${'tile ' + tone} href=${href}>${content}</a>` : html`<div class=${'tile ' + tone}>${content}</div>`;
};

const urgent = reason => reason.severity === 'error';

/** Why nothing moves, and what helps. Errors are shown above the numbers, warnings below them. */
const Reasons = ({ reasons }) => reasons.length > 0 && html`<section aria-label="Reasons"><ul class="reasons">${reasons.map(r => html`<li key=${r.code + r.sentence} class=${'reason ' + r.severity}>
  <${Badge} tone=${{ error: 'bad', warning: 'warn', info: 'info' }[r.severity]}>${r.severity}<//>
  <div><p>${visible(r.sentence)}</p><p>${visible(r.remedy)}</p></div>
  ${r.link?.startsWith('#/') ? html`<a class="button" href=${r.link}>Open</a>` : html`<span></span>`}</li>`)}</ul></section>`;

export default function Overview() {
  const { overview: o, samples, state, error } = useCell(live);
  if (!o) return html`<${PageHead} title="Overview" />${error ? html`<${Problem} error=${error} />` : html`<${Loading} />`}`;
  const v = verdict(o, state === 'lost');
  return html`
    <${PageHead} title="Overview" actions=${html`<${ActionButton} onClick=${() => pauseDialog()}>Pause …<//>`} />
    <section class=${'verdict ' + v.tone} role="status"><span class=${v.tone}>${v.icon()}</span><div><strong class=${v.tone}>${v.title}</strong><span>${v.text}</span></div></section>
    ${error && html`<${Problem} error=${error} />`}
    <${Reasons} reasons=${o.reasons.filter(urgent)} />
    <section class="flow" aria-label="Flow">
      <${Tile} name="Appended" value=${rate(o.inPerSecond)} more="by the services" />
      <${Tile} name="Pending" value=${count(o.pending)} more=${o.pending ? 'oldest ' + age(o.oldestAgeSeconds) : 'all delivered'} href=${link('events', { q: 'state:pending,claimed,parked' })} tone=${o.pending && o.oldestAgeSeconds > 60 ? 'warn' : ''} />
      <${Tile} name="In flight" value=${count(o.inFlight)} more="claimed by a relay" href=${link('events', { q: 'state:claimed' })} />
      <${Tile} name="Published" value=${rate(o.outPerSecond)} more=${plural(o.liveRelays, 'live relay')} href=${link('relays')} tone=${o.liveRelays ? '' : 'bad'} />
    </section>
    <section class="tiles" aria-label="Failures">
      <${Tile} name="Retrying" value=${count(o.retrying)} more="failed, next attempt planned" href=${link('failures')} tone=${o.retrying ? 'warn' : ''} />
      <${Tile} name="Parked" value=${count(o.parked)} more="behind a failed event of their key" href=${link('events', { q: 'state:parked' })} tone=${o.parked ? 'warn' : ''} />
      <${Tile} name="Blocked keys" value=${count(o.blockedKeys)} more="first event failed" href=${link('keys')} tone=${o.blockedKeys ? 'warn' : ''} />
      <${Tile} name="Dead letters" value=${count(o.deadLetters)} more="need a decision" href=${link('failures')} tone=${o.deadLetters ? 'bad' : ''} />
    </section>
    <${Reasons} reasons=${o.reasons.filter(r => !urgent(r) && r.code !== 'PAUSED')} />
    ${o.pauses.length > 0 && html`<${PauseList} pauses=${o.pauses} />`}
    <section class="grid">
      <div class="card"><h2>Rates</h2><${Chart} label="Events per second" samples=${samples} series=${[
        { name: 'appended', value: s => s.in, format: rate }, { name: 'published', value: s => s.out, format: rate }]} /></div>
      <div class="card"><h2>Backlog</h2><${Chart} label="Pending events" samples=${samples} series=${[
        { name: 'pending', value: s => s.pending, format: count }, { name: 'retrying or dead', value: s => s.failing, format: count }]} /></div>
      <div class="card"><h2>Age of the oldest event</h2><${Chart} label="Age" samples=${samples} series=${[{ name: 'oldest', value: s => s.age, format: age }]} /></div>
      ${o.sagas && html`<div class="card"><header><h2>Sagas</h2><a href=${link('sagas')}>All sagas</a></header>
        <dl class="facts">
          <div><dt>running</dt><dd>${count(o.sagas.running)}</dd></div>
          <div><dt>compensating</dt><dd class=${o.sagas.compensating ? 'warn' : ''}>${count(o.sagas.compensating)}</dd></div>
          <div><dt>need a person</dt><dd>${o.sagas.stuck ? html`<a class="bad" href=${link('sagas', { stuck: 'true' })}>${count(o.sagas.stuck)}</a>` : '0'}</dd></div>
          <div><dt>oldest</dt><dd>${age(o.sagas.oldestAgeSeconds)}</dd></div>
          <div><dt>timers late by</dt><dd class=${o.sagas.timerLagSeconds > 60 ? 'bad' : ''}>${age(o.sagas.timerLagSeconds)}</dd></div>
        </dl></div>`}
    </section>
    <section class="grid">
      <div class="card flush"><header><h2>Relays</h2><a href=${link('relays')}>Relays and lanes</a></header>
        ${o.relays.length ? html`<${Table} label="Relays" rows=${o.relays} rowKey=${r => r.name + r.startedAt} columns=${[
          { name: 'Name', cell: r => html`<span class="mono"><${Clamp} text=${r.name} /></span>` },
          { name: 'State', cell: r => html`<${Badge} tone=${!r.live ? 'plain' : r.serving ? 'good' : 'bad'}>${!r.live ? 'gone' : r.serving ? 'live' : 'broker does not answer'}<//>` },
          { name: 'Lanes', number: true, cell: r => r.lanes },
          { name: 'Rate', number: true, cell: r => r.live ? rate(r.publishedPerSecond) : '–' },
        ]} />` : html`<p class="empty">No relay has ever run on this outbox.</p>`}</div>
      <div class="card flush"><header><h2>Inbox groups</h2><a href=${link('inbox')}>Inbox</a></header>
        ${o.inbox.length ? html`<${Table} label="Inbox groups" rows=${o.inbox} rowKey=${g => g.group} columns=${[
          { name: 'Group', width: 'text', cell: g => html`<a class="clamp" href=${link('inbox', g.group)}>${oneLine(g.group)}</a>` },
          { name: 'Held', number: true, cell: g => count(g.retrying + g.parked) },
          { name: 'Dead', number: true, cell: g => html`<span class=${g.deadLetters ? 'bad' : ''}>${count(g.deadLetters)}</span>` },
          { name: 'State', cell: g => g.pausedConsumers ? html`<${Badge} tone="bad">paused<//>` : html`<${Badge} tone="good">handling<//>` },
        ]} />` : html`<p class="empty">No consumer group uses this database as its inbox.</p>`}</div>
    </section>
    <p class="soft">As of <${Time} at=${o.at} />.</p>`;
}
