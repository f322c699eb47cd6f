import { html } from '../lib/dom.js';
import { api } from '../lib/api.js';
import { visible } from '../lib/format.js';
import { ActionButton, Badge, Time } from './basics.js';
import { confirmAction } from './dialogs.js';

const SCOPES = { RELAY: 'Relays', TOPIC: 'A destination (topic)', TYPE: 'An event type', KEY: 'A business key' };
const DURATIONS = [['', 'until somebody resumes it'], ['600', '10 minutes'], ['3600', '1 hour'], ['28800', '8 hours'], ['86400', '1 day']];
const ALL = '*';
export const what = p => p.scope === 'RELAY' && p.value === ALL ? 'all relays' : `${p.scope.toLowerCase()} ${visible(p.value)}`;

export function pauseDialog(initial = {}, done) {
  confirmAction({
    title: 'Pause delivery', confirm: 'Pause', done,
    text: 'Relays stop sending the selected events within a second. No event is lost and no attempt is counted; the order of each key stays.',
    initial: { scope: 'TYPE', seconds: '3600', value: initial.scope === 'RELAY' ? ALL : '', ...initial },
    fields: (v, set) => html`
      <label class="field">Pause<select name="scope" value=${v.scope} onChange=${e => set({ scope: e.target.value, value: e.target.value === 'RELAY' ? ALL : '' })}>${Object.entries(SCOPES).map(([name, text]) => html`<option value=${name}>${text}</option>`)}</select></label>
      <label class="field">${{ RELAY: 'Name of the relay, or * for all', TOPIC: 'Topic', TYPE: 'Event type', KEY: 'Key' }[v.scope]}<input name="value" class="mono" required maxlength="1000" value=${v.value} onInput=${e => set({ value: e.target.value })} /></label>
      <label class="field">For<select name="seconds" value=${v.seconds} onChange=${e => set({ seconds: e.target.value })}>${DURATIONS.map(([n, text]) => html`<option value=${n}>${text}</option>`)}</select></label>`,
    run: async (action, v) => {
      const outcome = await api.pause({ ...action, scope: v.scope, value: v.value, ...(v.seconds ? { until: new Date(Date.now() + v.seconds * 1_000).toISOString() } : {}) });
      return outcome.detail || `Paused ${what(v)}.`;
    },
  });
}

export function resumeDialog(pause, done) {
  confirmAction({
    title: `Resume ${what(pause)}?`, confirm: 'Resume', done,
    text: 'Events that were held by this pause are due at once, in the order of their keys.',
    suggestions: ['cause is fixed', 'paused by mistake'],
    run: async action => (await api.resume({ ...action, scope: pause.scope, value: pause.value })).detail || 'Resumed.',
  });
}

export function PauseList({ pauses, done }) {
  return html`<ul class="reasons" aria-label="Pauses">${pauses.map(p => html`<li key=${p.scope + p.value} class="reason warning">
    <${Badge} state="PAUSED" />
    <div><p><strong>${p.scope === 'RELAY' && p.value === ALL ? 'All relays are paused' : html`${{ RELAY: 'Relay', TOPIC: 'Topic', TYPE: 'Type', KEY: 'Key' }[p.scope]} <span class="mono">${visible(p.value)}</span> is paused`}</strong></p>
      <p>${visible(p.actor)}, since <${Time} at=${p.since} />${p.until ? html`, until <${Time} at=${p.until} />` : ', until somebody resumes it'}: ${visible(p.reason)}</p></div>
    <${ActionButton} onClick=${() => resumeDialog(p, done)}>Resume …<//></li>`)}</ul>`;
}
