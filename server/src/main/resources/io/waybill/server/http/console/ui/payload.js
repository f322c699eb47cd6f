// The payload of an event as a tree and as raw text. Numbers are shown as they were written.
import { html, useMemo, useState } from '../lib/dom.js';
import { parseJson, pretty } from '../lib/json.js';
import { bytes, visible, plural } from '../lib/format.js';
import { Problem, Copy, ActionButton } from './basics.js';

const OPEN_DEPTH = 3;
const SHOWN_ITEMS = 100;
const LARGEST_TREE = 400_000;

function Node({ name, value, depth }) {
  const [open, setOpen] = useState(depth < OPEN_DEPTH && (value.items?.length ?? 0) <= SHOWN_ITEMS);
  const [shown, setShown] = useState(SHOWN_ITEMS);
  const label = name === undefined ? '' : html`<span class="name">${typeof name === 'number' ? name : visible(name)}</span>: `;
  if (!value.items) {
    const style = value.kind === 'number' ? 'numeric' : value.kind === 'string' ? 'string' : 'word';
    return html`<li>${label}<span class=${style}>${visible(value.raw)}</span></li>`;
  }
  const [opening, closing] = value.kind === 'object' ? '{}' : '[]';
  const size = value.items.length;
  return html`<li>
    ${size > 0 && html`<button type="button" aria-expanded=${open ? 'true' : 'false'} aria-label=${(open ? 'Collapse ' : 'Expand ') + (name === undefined ? 'the payload' : visible(name))} onClick=${() => setOpen(!open)}>${open ? '▾' : '▸'}</button>`}
    ${label}${opening}${(!open || size === 0) && html`<span class="soft">${size ? ' ' + plural(size, value.kind === 'object' ? 'field' : 'item') + ' ' : ''}</span>${closing}`}
    ${open && size > 0 && html`<ul>${value.items.slice(0, shown).map((item, i) => html`<${Node} key=${i} name=${item.name} value=${item.value} depth=${depth + 1} />`)}
      ${size > shown && html`<li><button type="button" onClick=${() => setShown(shown + 500)}>${plural(size - shown, 'more item')} …</button></li>`}</ul>${closing}`}
  </li>`;
}

export function JsonText({ text, truncated = false, label = 'Payload' }) {
  const tree = useMemo(() => truncated || text.length > LARGEST_TREE ? null : parseJson(text), [text, truncated]);
  const [tab, setTab] = useState('tree');
  const active = tree ? tab : 'raw';
  const choice = (name, title) => html`<button type="button" role="tab" aria-selected=${active === name ? 'true' : 'false'} onClick=${() => setTab(name)}>${title}</button>`;
  return html`
    ${tree && html`<div class="tabs" role="tablist" aria-label=${label}>${choice('tree', 'Tree')}${choice('pretty', 'Indented')}${choice('raw', 'Raw')}</div>`}
    ${active === 'tree' ? html`<ul class="tree" tabindex="0" aria-label=${label}><${Node} value=${tree} depth=${0} /></ul>`
    : html`<pre tabindex="0" aria-label=${label}>${visible(active === 'pretty' ? pretty(tree) : text)}</pre>`}`;
}

/** Loads a payload when the user asks for it, because each view is recorded. */
export function Payload({ size, load, onLoaded }) {
  const [state, setState] = useState({});
  const show = async limit => {
    setState(old => ({ ...old, loading: true, error: null }));
    try {
      const payload = await load(limit);
      setState({ payload });
      onLoaded?.(payload);
    } catch (error) {
      setState({ error });
    }
  };
  const { payload } = state;
  return html`<section class="card" aria-label="Payload">
    <header><h2>Payload <span class="soft">${bytes(size)}</span></h2>${payload && html`<${Copy} text=${payload.payload} />`}</header>
    <${Problem} error=${state.error} />
    ${!payload ? html`<div class="actions"><${ActionButton} permission="payload" onClick=${() => show()}>${state.loading ? 'Loading …' : 'Show the payload'}<//>
        <span class="soft">Each view of a payload is recorded in the audit.</span></div>`
    : html`
      ${payload.masked?.length > 0 && html`<p class="notice">Masked: ${payload.masked.map(visible).join(', ')}</p>`}
      ${payload.truncated && html`<p class="notice warn">Only the first ${bytes(new Blob([payload.payload]).size)} of ${bytes(payload.size)} are shown, as raw text.</p>`}
      ${payload.payload === '' ? html`<p class="soft">The payload is empty.</p>` : html`<${JsonText} text=${payload.payload} truncated=${payload.truncated} />`}`}
  </section>`;
}

export function Headers({ headers }) {
  const names = Object.keys(headers ?? {}).sort();
  if (!names.length) return html`<p class="soft">No headers.</p>`;
  return html`<dl class="facts">${names.map(name => html`<div><dt class="mono">${visible(name)}</dt><dd class="mono clamp" title=${visible(headers[name]).slice(0, 2_000)}>${visible(headers[name])}</dd></div>`)}</dl>`;
}
