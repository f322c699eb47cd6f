import { html, useRef, useState, useId } from '../lib/dom.js';
import { complete, parseFilter } from '../lib/filter.js';
import { visible } from '../lib/format.js';
import { icons } from './icons.js';

/** The filter bar with completion. known: values per filter name that were seen, for completion. */
export function FilterBar({ value, onChange, known, label = 'Filter events', placeholder }) {
  const [text, setText] = useState(value);
  const [given, setGiven] = useState(value);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const input = useRef(null);
  const id = useId();
  if (given !== value) {
    setGiven(value);
    setText(value);
  }
  const options = open ? complete(text, known) : [];
  const problems = parseFilter(text).problems;
  const apply = next => {
    setText(next);
    setOpen(false);
    setChosen(-1);
    onChange(next.trim());
  };
  const pick = option => {
    setText(option.text);
    setChosen(-1);
    if (/[:<>]$/.test(option.label)) setOpen(true);
    else apply(option.text + ' ');
    input.current.focus();
  };
  const keys = event => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      if (options.length) setChosen((chosen + (event.key === 'ArrowDown' ? 1 : -1) + options.length) % options.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (chosen >= 0 && options[chosen]) pick(options[chosen]);
      else if (!problems.length) apply(text);
    } else if (event.key === 'Tab' && open && options.length && text && chosen >= 0) {
      event.preventDefault();
      pick(options[chosen]);
    } else if (event.key === 'Escape') {
      setOpen(false);
      setChosen(-1);
    }
  };
  return html`<div class="filter">
    <input ref=${input} type="text" role="combobox" aria-label=${label} aria-expanded=${options.length ? 'true' : 'false'} aria-controls=${id} aria-autocomplete="list"
      aria-activedescendant=${chosen >= 0 ? `${id}-${chosen}` : undefined} autocomplete="off" autocapitalize="off" spellcheck=${false} maxlength="2000" value=${text} placeholder=${placeholder}
      onInput=${e => { setText(e.target.value); setOpen(true); setChosen(-1); }} onFocus=${() => setOpen(true)} onBlur=${() => setTimeout(() => setOpen(false), 150)} onKeyDown=${keys} />
    ${text && html`<button type="button" class="plain icon clear" aria-label="Clear the filter" onClick=${() => { apply(''); input.current.focus(); }}>${icons.close()}</button>`}
    <ul id=${id} class="completions" role="listbox" aria-label="Completions" hidden=${!options.length}>
      ${options.map((o, i) => html`<li id=${`${id}-${i}`} role="option" aria-selected=${i === chosen ? 'true' : 'false'} onMouseDown=${e => { e.preventDefault(); pick(o); }}>
        <code>${visible(o.label)}</code><span class="soft">${o.hint}</span></li>`)}
    </ul>
    ${problems.map(p => html`<p class="bad" role="alert">${visible(p)}</p>`)}
  </div>`;
}
