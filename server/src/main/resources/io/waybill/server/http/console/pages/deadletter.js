import { html } from '../lib/dom.js';
import { useLoad } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { link } from '../lib/router.js';
import { oneLine, visible } from '../lib/format.js';
import { ActionButton, Copy, Fact, KeyLink, Loading, PageHead, Problem, Time } from '../ui/basics.js';
import { Headers, Payload } from '../ui/payload.js';
import { inboxDialog } from './inbox.js';

export default function DeadLetter({ parts: [group, id] }) {
  const { data: e, error, loading, reload } = useLoad(signal => api.inboxDeadLetter(group, id, signal), [group, id]);
  if (!e) return html`<${PageHead} title="Dead letter" />${loading ? html`<${Loading} />` : html`<${Problem} error=${error} retry=${reload} />`}`;
  const back = () => { location.hash = link('inbox', group); };
  return html`
    <${PageHead} title=${html`<span class="clamp">${oneLine(e.eventType) || 'Unreadable message'}</span>`} actions=${html`
      <${ActionButton} class="primary" onClick=${() => inboxDialog('replay', group, id, back)}>Replay …<//>
      <${ActionButton} class="danger" onClick=${() => inboxDialog('discard', group, id, back)}>Discard …<//>
      <${Copy} text=${location.href} label="Copy link" />`}>Dead letter of group <a href=${link('inbox', group)}>${oneLine(group)}</a> <span class="mono">${e.eventId}</span><//>
    <section class="card" aria-label="Error"><h2 class="bad">${oneLine(e.errorClass)}</h2><pre tabindex="0" aria-label="Error">${visible(e.error)}</pre></section>
    <section class="card" aria-label="Facts"><h2>Message</h2><dl class="facts">
      <${Fact} name="Entity">${oneLine(e.entity)}<//><${Fact} name="Key"><${KeyLink} value=${e.key} /><//>
      <${Fact} name="Topic"><span class="mono">${oneLine(e.topic)}</span><//><${Fact} name="Partition and offset">${e.partition} / ${String(e.offset)}<//>
      <${Fact} name="Attempts">${e.attempts}<//><${Fact} name="Failed"><${Time} at=${e.failedAt} full /><//>
      <${Fact} name="Event in this outbox"><a href=${link('find', e.eventId)}>open</a><//>
    </dl><h3>Headers</h3><${Headers} headers=${e.headers} /></section>
    ${e.history.length > 0 && html`<section class="card" aria-label="History"><h2>Decisions</h2><ol class="timeline">${e.history.map(a => html`<li class="warn"><div><div class="line"><strong>${a.action.toLowerCase()} by ${visible(a.actor)}</strong><${Time} at=${a.at} full /></div><div class="soft">${visible(a.reason)}</div></div></li>`)}</ol></section>`}
    <${Payload} size=${e.payloadSize} load=${limit => api.inboxPayload(group, id, limit)} />`;
}
