// Small components that every page uses.
import { html, useId, useRef } from '../lib/dom.js';
import { useCell } from '../lib/hooks.js';
import { time, visible, oneLine, zone, shortId } from '../lib/format.js';
import { session } from '../lib/api.js';
import { link } from '../lib/router.js';

const TONES = {
  PENDING: 'info', CLAIMED: 'info', PUBLISHED: 'good', PARKED: 'warn', RETRYING: 'warn', PAUSED: 'warn', DEAD_LETTER: 'bad', DISCARDED: 'plain',
  EXECUTING: 'info', COMPLETED: 'good', COMPENSATING: 'warn', COMPENSATED: 'warn', ROLLED_BACK: 'warn', FORWARD_RECOVERY: 'bad', FAILED: 'bad',
  PARTIALLY_COMMITTED: 'warn', IN_DOUBT: 'bad', TAINTED: 'bad', SKIPPED: 'plain', RETRY: 'warn', GAP: 'warn', PROCESSED: 'good', HELD: 'warn',
  DRAFT: 'plain', CONFIRMED: 'info', RUNNING: 'info', DONE: 'good', CANCELLED: 'plain',
};
export const tone = state => TONES[state] ?? 'plain';
const word = state => String(state).toLowerCase().replaceAll('_', ' ');

export const Badge = ({ state, tone: given, children }) =>
  html`<span class=${'badge ' + (given ?? tone(state))}>${children ?? word(state)}</span>`;

/** The state of an event; a pending event that has failed is shown as retrying. */
export const eventState = event => event.state === 'PENDING' && event.retryCount > 0 ? 'RETRYING' : event.state;
export const EventState = ({ event }) => html`<${Badge} state=${eventState(event)} />`;

/** A time in the chosen time zone; the tooltip shows it in full. */
export function Time({ at, full = false }) {
  useCell(zone);
  if (!at) return html`<span class="soft">–</span>`;
  return html`<time class=${full ? '' : 'nowrap'} datetime=${at} title=${time(at, { full: true })}>${time(at, { full })}</time>`;
}

export const Fact = ({ name, children }) => html`<div><dt>${name}</dt><dd>${children}</dd></div>`;

export const Clamp = ({ text, lines }) =>
  text ? html`<span class=${'clamp' + (lines === 1 ? ' one' : '')} title=${oneLine(text).slice(0, 2_000)}>${oneLine(text).slice(0, 600)}</span>` : '';

export const KeyLink = ({ value }) => value === null || value === undefined || value === ''
  ? html`<span class="soft">no key</span>`
  : html`<a class="mono clamp" href=${link('key', value)} title=${oneLine(value).slice(0, 2_000)}>${oneLine(value)}</a>`;

export const EventLink = ({ id, children }) => html`<a class="mono nowrap" href=${link('event', id)} title=${id}>${children ?? shortId(id)}</a>`;

export const Loading = () => html`<p class="loading" role="status">Loading …</p>`;

export function Problem({ error, retry }) {
  if (!error) return '';
  return html`<div class="problem" role="alert">
    <strong>${visible(error.message)}</strong>
    ${error.remedy && html`<p>${visible(error.remedy)}</p>`}
    ${error.errors?.map(e => html`<p>${visible(e.field)}: ${visible(e.detail)}</p>`)}
    ${retry && html`<button type="button" onClick=${retry}>Try again</button>`}
  </div>`;
}

export const Empty = ({ title, children }) => html`<div class="empty"><strong>${title}</strong>${children && html`<p>${children}</p>`}</div>`;

/** What a list shows before, instead of and after its rows. */
export function Listing({ list, empty, children }) {
  if (list.loading && !list.data) return html`<${Loading} />`;
  if (list.error && !list.data) return html`<div class="card"><${Problem} error=${list.error} retry=${list.reload} /></div>`;
  const items = list.items ?? list.data?.items ?? [];
  return html`
    ${list.error && html`<${Problem} error=${list.error} retry=${list.reload} />`}
    ${items.length ? html`<div class="card flush">${children(items)}
      ${list.next && html`<div class="more-row">
        <${Problem} error=${list.moreError} />
        <button type="button" onClick=${list.loadMore} disabled=${list.loadingMore}>${list.loadingMore ? 'Loading …' : 'Show more'}</button>
      </div>`}</div>` : html`<div class="card">${empty}</div>`}`;
}

// On narrow screens, the label and the content of a cell stand side by side, so the content is one element.
const cell = content => content === '' || content === null || content === undefined ? '' : html`<div>${content}</div>`;

/** A table whose rows become blocks on narrow screens. columns: [{name, number?, width?: 'text' | 'long', cell(row)}] */
export function Table({ label, columns, rows, rowKey, current }) {
  return html`<div class="scroll" tabindex="-1"><table class="rows" aria-label=${label}>
    <thead><tr>${columns.map(c => html`<th scope="col" class=${c.number ? 'number' : ''}>${c.name || html`<span class="hidden-visually">${c.label ?? 'Actions'}</span>`}</th>`)}</tr></thead>
    <tbody>${rows.map(row => html`<tr key=${rowKey(row)} class=${current?.(row) ? 'current' : ''}>
      ${columns.map(c => html`<td data-label=${c.name} class=${c.number ? 'number' : c.name ? c.width ?? '' : 'actions-cell'}>${cell(c.cell(row))}</td>`)}
    </tr>`)}</tbody>
  </table></div>`;
}

const WORDS = { act: 'act on events', payload: 'see payloads', edit: 'edit events', view: 'see this' };

/** Why the user may not do something; null if it is allowed. */
export function refusal(permission) {
  const s = session.get();
  if (s?.permissions?.includes(permission)) return null;
  if (s?.readOnly && (permission === 'act' || permission === 'edit')) return 'This instance is read-only. Actions are refused for every user.';
  if (permission === 'edit' && s?.role === 'admin') return 'Edit and replay is switched off in this instance.';
  return `Your role ${s?.role ?? 'none'} may not ${WORDS[permission]}. Ask an administrator.`;
}

/** A button that needs a permission. Without it, the button stays visible and focusable, and its tooltip says why it does nothing. */
export function ActionButton({ permission = 'act', reason, onClick, class: style = '', children, title }) {
  useCell(session);
  const why = refusal(permission) ?? reason ?? null;
  const id = useId();
  return html`<button type="button" class=${style} aria-disabled=${why ? 'true' : undefined} aria-describedby=${why ? id : undefined}
    data-tip=${why ?? undefined} title=${why ? undefined : title} onClick=${why ? event => event.preventDefault() : onClick}
    >${children}${why && html`<span id=${id} class="hidden-visually">${why}</span>`}</button>`;
}

export const PageHead = ({ title, children, actions }) => html`<header class="page-head">
  <div><h1 tabindex="-1">${title}</h1>${children && html`<p>${children}</p>`}</div>
  ${actions && html`<div class="actions">${actions}</div>`}
</header>`;

export function Copy({ text, label = 'Copy' }) {
  const button = useRef(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.current.textContent = 'Copied';
    } catch {
      button.current.textContent = 'Copying is not allowed here';
    }
    setTimeout(() => { if (button.current) button.current.textContent = label; }, 1_500);
  };
  return html`<button type="button" class="plain" ref=${button} onClick=${copy}>${label}</button>`;
}
