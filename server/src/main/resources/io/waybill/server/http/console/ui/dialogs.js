// One dialog at a time, toasts, and the dialogs of actions.
import { html, cell, useEffect, useRef, useState } from '../lib/dom.js';
import { useCell } from '../lib/hooks.js';
import { actionId } from '../lib/api.js';
import { visible } from '../lib/format.js';
import { Problem } from './basics.js';
import { icons } from './icons.js';

const shown = cell(null);
const toasts = cell([]);
let toastNumber = 0;

/** Shows a dialog. content receives close() and returns its elements. */
export function openDialog(content, { wide = false, label } = {}) {
  shown.set({ content, wide, label, opener: document.activeElement });
}

export function closeDialog() {
  const opener = shown.get()?.opener;
  shown.set(null);
  if (opener?.isConnected) opener.focus();
}

export function toast(text, bad = false) {
  const one = { id: ++toastNumber, text, bad };
  toasts.set([...toasts.get(), one].slice(-4));
  // Bad news stays until it is dismissed.
  if (!bad) setTimeout(() => dismiss(one.id), 7_000);
}

const dismiss = id => toasts.set(toasts.get().filter(t => t.id !== id));

export function Dialogs() {
  const dialog = useCell(shown);
  return html`${dialog && html`<${Modal} key=${dialog} dialog=${dialog} />`}
    <div class="toasts" role="status" aria-live="polite">${useCell(toasts).map(t => html`<div key=${t.id} class=${'toast' + (t.bad ? ' bad' : '')}>
      <span>${visible(t.text)}</span><button type="button" class="plain icon" aria-label="Dismiss" onClick=${() => dismiss(t.id)}>${icons.close()}</button></div>`)}</div>`;
}

function Modal({ dialog }) {
  const element = useRef(null);
  useEffect(() => {
    element.current.showModal();
    element.current.querySelector('[data-focus]')?.focus();
  }, []);
  return html`<dialog ref=${element} class=${dialog.wide ? 'wide' : ''} aria-label=${dialog.label} onClose=${closeDialog}
    onCancel=${event => { event.preventDefault(); closeDialog(); }}>${dialog.content(closeDialog)}</dialog>`;
}

/**
 * Asks for a reason and runs an action. The action id is made once per dialog, so a double click and a repeated request after a
 * lost answer have one effect.
 * @param run receives {reason, actionId} and the dialog's values, and returns a promise of a sentence, or of nothing
 */
export function confirmAction({ title, text, confirm, danger = false, fields, initial = {}, suggestions = [], run, done, wide = false }) {
  const id = actionId();
  openDialog(close => html`<${ActionForm} ...${{ id, title, text, confirm, danger, fields, initial, suggestions, run, done, close }} />`, { label: title, wide });
}

function ActionForm({ id, title, text, confirm, danger, fields, initial, suggestions, run, done, close }) {
  const [reason, setReason] = useState('');
  const [values, setValues] = useState(initial);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const submit = async event => {
    event.preventDefault();
    if (busy || !reason.trim()) return;
    setBusy(true);
    setError(null);
    try {
      const sentence = await run({ reason: reason.trim(), actionId: id }, values);
      close();
      if (sentence) toast(sentence);
      done?.();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return html`<form onSubmit=${submit}>
    <h2>${title}</h2>
    ${text && html`<div>${text}</div>`}
    ${fields?.(values, change => setValues(old => ({ ...old, ...change })))}
    <label class="field">Reason
      <input name="reason" data-focus required maxlength="1000" autocomplete="off" value=${reason} onInput=${e => setReason(e.target.value)} placeholder="Kept in the audit, for example: broker was misconfigured" />
    </label>
    ${suggestions.length > 0 && html`<div class="chips">${suggestions.map(s => html`<button type="button" class="chip" onClick=${() => setReason(s)}>${s}</button>`)}</div>`}
    <${Problem} error=${error} />
    <div class="buttons">
      <button type="button" onClick=${close}>Cancel</button>
      <button type="submit" class=${'primary' + (danger ? ' danger' : '')} aria-disabled=${!reason.trim() || busy ? 'true' : undefined}>${busy ? 'Working …' : confirm}</button>
    </div>
  </form>`;
}
