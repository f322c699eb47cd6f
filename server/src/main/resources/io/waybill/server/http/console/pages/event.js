import { html, useState } from '../lib/dom.js';
import { useLoad } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { link } from '../lib/router.js';
import { term } from '../lib/filter.js';
import { age, visible, oneLine } from '../lib/format.js';
import { ActionButton, Badge, Clamp, Copy, EventLink, eventState, EventState, Fact, KeyLink, Loading, PageHead, Problem, Time, tone } from '../ui/basics.js';
import { Headers, Payload } from '../ui/payload.js';
import { discard, edit, replay, retry, skip } from '../ui/eventactions.js';
import { pauseDialog } from '../ui/pauses.js';

const ended = state => state === 'PUBLISHED' || state === 'DISCARDED';

/** What happened to the event, oldest first: the append, operator actions, and the present state. */
function story(e) {
  const steps = [{ at: e.createdAt, tone: 'info', title: 'Appended', text: Math.abs(Date.parse(e.occurredAt) - Date.parse(e.createdAt)) > 1_000 ? html`occurred at <${Time} at=${e.occurredAt} full />` : '' }];
  e.history.forEach(a => steps.push({ at: a.at, tone: 'warn', title: `${a.action.toLowerCase().replaceAll('_', ' ')} by ${visible(a.actor)}`, text: visible(a.reason) }));
  const s = eventState(e);
  if (e.retryCount > 0 && !ended(e.state)) steps.push({ tone: 'bad', title: `${e.retryCount} failed ${e.retryCount === 1 ? 'attempt' : 'attempts'}`, text: html`<span class="mono">${visible(e.lastError)}</span>` });
  if (s === 'RETRYING') steps.push({ at: e.nextAttemptAt, tone: 'warn', title: 'Next attempt', text: e.nextAttemptAt ? `in ${age(Math.max(0, (Date.parse(e.nextAttemptAt) - Date.now()) / 1_000))}` : 'not planned' });
  else if (s === 'CLAIMED') steps.push({ at: e.lockedUntil, tone: 'info', title: 'In flight', text: `claimed by ${visible(e.lockedBy)}` });
  else if (s === 'PARKED') steps.push({ tone: 'warn', title: 'Parked', text: 'An earlier event of its key failed; this event waits for it, so that the order of the key is kept.' });
  else if (s === 'PENDING') steps.push({ tone: 'info', title: 'Pending', text: 'It waits for its first attempt.' });
  else if (s === 'PUBLISHED') steps.push({ at: e.settledAt, tone: 'good', title: 'Published', text: e.retryCount ? `after ${e.retryCount} failed attempts` : `${age((Date.parse(e.settledAt) - Date.parse(e.createdAt)) / 1_000)} after the append` });
  else if (s === 'DEAD_LETTER') steps.push({ at: e.settledAt, tone: 'bad', title: 'Dead letter', text: 'It is not attempted again until an operator decides.' });
  else steps.push({ at: e.settledAt, tone: 'plain', title: 'Discarded', text: 'It will never be published.' });
  return steps;
}

function Trail({ e }) {
  const here = [...e.before, e, ...e.after];
  return html`<section class="card" aria-label="Trail of its key"><header><h2>Trail of its key</h2><a href=${link('key', e.key)}>Everything about this key</a></header>
    <ol class="timeline">${here.map(one => html`<li key=${one.id} class=${`${tone(eventState(one))} ${one.id === e.id ? 'here' : ''}`}><div><div class="line">
      ${one.id === e.id ? html`<strong>this event</strong>` : html`<${EventLink} id=${one.id} />`}<span>${oneLine(one.type)}</span>${one.aggregateVersion !== null && html`<span class="soft">version ${one.aggregateVersion}</span>`}<${EventState} event=${one} /><${Time} at=${one.createdAt} /></div></div></li>`)}</ol>
    ${here.length === 1 && html`<p class="soft">There are no other events of this key.</p>`}</section>`;
}

export default function Event({ parts: [id] }) {
  const { data: e, error, loading, reload } = useLoad(signal => api.event(id, signal), [id], 2);
  const [failure, setFailure] = useState(null);
  if (!e) return html`<${PageHead} title="Event" />${loading ? html`<${Loading} />` : html`<${Problem} error=${error} retry=${reload} />`}`;
  const state = eventState(e);
  const dead = e.state === 'DEAD_LETTER' ? null : 'Only dead letters can be replayed or discarded.';
  const waits = e.state === 'PENDING' ? null : e.state === 'PARKED' ? 'The event waits for an earlier event of its key. Retry that one.' : 'Only an event that waits for its next attempt can be retried.';
  const blocks = state === 'RETRYING' || e.state === 'DEAD_LETTER' ? null : 'Only an event that has failed can be skipped.';
  return html`
    <${PageHead} title=${html`<span class="clamp">${oneLine(e.type)}</span>`} actions=${html`
      ${!ended(e.state) && html`
        ${e.state === 'DEAD_LETTER' ? html`<${ActionButton} class="primary" reason=${dead} onClick=${() => replay(e, reload)}>Replay …<//>` : html`<${ActionButton} class="primary" reason=${waits} onClick=${() => retry(e, reload)}>Retry now …<//>`}
        <${ActionButton} permission="edit" reason=${dead && blocks} onClick=${() => edit(e).catch(setFailure)}>Edit and replay …<//>
        ${e.state === 'DEAD_LETTER' ? html`<${ActionButton} class="danger" onClick=${() => discard(e, reload)}>Discard …<//>` : html`<${ActionButton} class="danger" reason=${blocks} onClick=${() => skip(e, reload)}>Skip …<//>`}
        <${ActionButton} onClick=${() => pauseDialog({ scope: 'KEY', value: e.key }, reload)}>Pause its key …<//>`}
      <${Copy} text=${location.href} label="Copy link" />`}><span class="mono">${e.id}</span> <${Badge} state=${state} /><//>
    <${Problem} error=${error ?? failure} />
    ${e.lastError && e.state !== 'PUBLISHED' && html`<section class="card" aria-label="Last error"><header><h2 class=${e.state === 'DISCARDED' ? '' : 'bad'}>Last error</h2><a href=${link('failures')}>Similar failures</a></header><pre tabindex="0" aria-label="Last error">${visible(e.lastError)}</pre></section>`}
    <div class="grid">
      <section class="card" aria-label="Facts"><h2>Event</h2><dl class="facts">
        <${Fact} name="Key"><${KeyLink} value=${e.key} /><//>
        <${Fact} name="Entity"><${Clamp} text=${e.aggregateType} /><//>
        <${Fact} name="Version of the entity">${e.aggregateVersion ?? '–'}<//>
        <${Fact} name="Topic"><a class="mono clamp" href=${link('events', { q: term('topic', e.topic) })}>${oneLine(e.topic)}</a><//>
        <${Fact} name="Version of the type">${e.version}<//>
        <${Fact} name="Lane and position">${e.lane} / ${e.position}<//>
        <${Fact} name="Failed attempts">${e.retryCount}<//>
        <${Fact} name="Trace">${e.traceId ? html`<a class="mono" href=${link('events', { q: term('trace', e.traceId) })}>${visible(e.traceId)}</a>` : '–'}<//>
      </dl><h3>Headers</h3><${Headers} headers=${e.headers} /></section>
      <section class="card" aria-label="Timeline"><h2>Timeline</h2>
        <ol class="timeline">${story(e).map(s => html`<li class=${s.tone}><div><div class="line"><strong>${s.title}</strong>${s.at && html`<${Time} at=${s.at} full />`}</div><div class="soft">${s.text}</div></div></li>`)}</ol></section>
    </div>
    <${Payload} size=${e.payloadSize} load=${limit => api.payload(id, limit)} />
    <${Trail} e=${e} />`;
}
