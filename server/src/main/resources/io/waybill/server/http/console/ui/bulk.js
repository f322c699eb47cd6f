import { html } from '../lib/dom.js';
import { api } from '../lib/api.js';
import { go, link } from '../lib/router.js';
import { count, plural, visible } from '../lib/format.js';
import { confirmAction, openDialog } from './dialogs.js';

const TITLES = { replay: 'Replay all matching dead letters', discard: 'Discard all matching dead letters', retry: 'Retry all matching events now' };
const VERBS = { replay: 'Replay', discard: 'Discard', retry: 'Retry' };

/** The filter of an operation, from the parameters of a list. */
export function operationFilter(parameters) {
  const { state, ...others } = parameters;
  return { ...others, ...(state ? { state: state.split(',') } : {}) };
}

export function FilterText({ filter }) {
  const words = Object.entries(filter).filter(([, value]) => value !== null && value !== undefined && value.length !== 0);
  return words.length ? html`<span class="chips">${words.map(([name, value]) => html`<code class="badge plain">${name}: ${visible(Array.isArray(value) ? value.join(', ') : value)}</code>`)}</span>` : html`<span class="soft">all</span>`;
}

/** First a dry run, which counts; then the confirmation; then the page of the operation with its progress. */
export function bulkDialog(action, parameters) {
  const filter = operationFilter(parameters);
  confirmAction({
    title: TITLES[action], confirm: 'Count the events',
    text: html`<p>Filter: <${FilterText} filter=${filter} /></p><p class="soft">Nothing changes yet: the next step shows how many events match.</p>`,
    initial: { rate: '100' },
    fields: action === 'discard' ? undefined : (v, set) => html`<label class="field">Most events per second, 0 for no limit<input name="rate" type="number" min="0" max="10000" value=${v.rate} onInput=${e => set({ rate: e.target.value })} /></label>`,
    run: async (body, v) => {
      const draft = await api.createOperation({ ...body, action, filter, ...(action !== 'discard' && v.rate ? { ratePerSecond: Number(v.rate) } : {}) });
      setTimeout(() => confirmDraft(draft));
    },
  });
}

export function confirmDraft(draft, done) {
  const verb = VERBS[draft.action] ?? draft.action;
  if (!draft.total) {
    return openDialog(close => html`<div class="body"><h2>No event matches</h2><p>There is nothing to ${verb.toLowerCase()}. The events may have been settled meanwhile.</p><div class="buttons"><button type="button" data-focus onClick=${close}>Close</button></div></div>`, { label: 'No event matches' });
  }
  confirmAction({
    title: `${verb} ${draft.totalAtLeast ? 'at least ' : ''}${plural(draft.total, 'event')}?`, confirm: `${verb} ${count(draft.total)}`, danger: draft.action === 'discard', done,
    text: html`<p>Filter: <${FilterText} filter=${draft.filter} /></p><p class="soft">Events that arrive from now on are left out. You can cancel while it runs; finished events stay as they are.</p>`,
    suggestions: [draft.reason],
    run: async body => {
      await api.operationAction(draft.id, 'confirm', body);
      go(link('operation', draft.id));
    },
  });
}
