import { html } from '../lib/dom.js';
import { useLoad } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { link } from '../lib/router.js';
import { age, oneLine, visible } from '../lib/format.js';
import { ActionButton, Badge, Clamp, Copy, Fact, KeyLink, Loading, PageHead, Problem, Table, Time } from '../ui/basics.js';
import { confirmAction } from '../ui/dialogs.js';
import { Headers, JsonText } from '../ui/payload.js';
import { SagaPicture } from '../ui/sagapicture.js';
import { parseJson, pretty } from '../lib/json.js';

const TEXTS = {
  retry: { title: 'Retry the step', confirm: 'Retry', text: 'The engine attempts the step again.', suggestions: ['cause is fixed'] },
  skip: { title: 'Skip the step', confirm: 'Skip', danger: true, text: 'The saga goes on as if the step had succeeded. Choose this when the effect exists already or is not needed.' },
  resolve: { title: 'Resolve the step by hand', confirm: 'Resolve', text: 'You have done by hand what the step should have done. The step counts as completed, with the data below.' },
  refuse: { title: 'Give the step up', confirm: 'Give up', danger: true, text: 'The step counts as failed for good. The saga is undone, or ends partially committed if its pivot has succeeded.' },
  cancel: { title: 'Cancel the saga', confirm: 'Cancel the saga', danger: true, text: 'Completed steps are undone. After the pivot, a saga can no longer be cancelled.' },
};

function dialog(saga, action, step, done) {
  const data = saga.data === null ? '' : saga.data;
  const tree = parseJson(data);
  const shown = tree ? pretty(tree) : data;
  confirmAction({
    ...TEXTS[action], title: step ? `${TEXTS[action].title}: ${oneLine(step)}` : TEXTS[action].title, wide: action === 'resolve', done,
    initial: { data: shown },
    fields: action === 'resolve' && saga.data !== null ? (v, set) => html`<label class="field">Data of the saga<textarea name="data" class="code" spellcheck=${false} value=${v.data} onInput=${e => set({ data: e.target.value })}></textarea></label>` : undefined,
    run: async (body, v) => {
      const outcome = await api.sagaAction(saga.id, action, { ...body, ...(step ? { step } : {}), ...(action === 'resolve' && v.data !== shown ? { data: v.data } : {}) });
      if (outcome.state === 'REFUSED') throw new Error(outcome.detail || 'The engine refused the action.');
      return outcome.detail || (outcome.state === 'DONE' ? 'Done.' : 'Requested; an engine applies it within a second if one runs.');
    },
  });
}

const HISTORY_TONE = kind => /FAIL|STUCK|TAINT|DOUBT|REFUS|TIMEOUT/.test(kind) ? 'bad' : /COMPENS|UNDO|RETRY|OPERATOR|CANCEL|SKIP/.test(kind) ? 'warn' : /COMPLET|SUCCE|DONE|END/.test(kind) ? 'good' : 'info';

export default function Saga({ parts: [id] }) {
  const { data: s, error, loading, reload } = useLoad(signal => api.saga(id, signal), [id], 2);
  if (!s) return html`<${PageHead} title="Saga" />${loading ? html`<${Loading} />` : html`<${Problem} error=${error} retry=${reload} />`}`;
  const over = s.ended ? `The saga has ended as ${s.status.toLowerCase().replaceAll('_', ' ')}.` : null;
  const start = Date.parse(s.createdAt);
  return html`
    <${PageHead} title=${oneLine(s.name)} actions=${html`<${ActionButton} class="danger" reason=${over} onClick=${() => dialog(s, 'cancel', null, reload)}>Cancel …<//><${Copy} text=${location.href} label="Copy link" />`}>
      <span class="mono">${s.id}</span> <${Badge} state=${s.status} /> ${s.stuck.length > 0 && html`<${Badge} tone="bad">needs a person<//>`}<//>
    <${Problem} error=${error} />
    ${s.stuck.map(step => html`<div class="reason error"><${Badge} tone="bad">needs a person<//>
      <div><p>Step <strong>${oneLine(step)}</strong> does not go on by itself.</p><p class="mono">${oneLine(s.steps.find(x => x.name === step)?.error ?? s.error).slice(0, 600)}</p></div>
      <div class="actions">${['retry', 'resolve', 'skip', 'refuse'].map(a => html`<${ActionButton} class=${TEXTS[a].danger ? 'danger' : a === 'retry' ? 'primary' : ''} onClick=${() => dialog(s, a, step, reload)}>${{ retry: 'Retry …', resolve: 'Resolve …', skip: 'Skip …', refuse: 'Give up …' }[a]}<//>`)}</div></div>`)}
    ${s.pending.length > 0 && html`<div class="notice">${s.pending.map(p => html`<p>Requested and not applied yet: ${p.action.toLowerCase()} ${oneLine(p.step)}${p.actor ? ` by ${visible(p.actor)}` : ''}. An engine with this definition must run.</p>`)}</div>`}
    <section class="card" aria-label="Execution"><header><h2>Execution</h2>${s.outline ? html`<span class="soft">definition ${oneLine(s.name)} version ${s.version}${s.outline.atomic ? ', atomic' : ''}</span>` : html`<span class="soft">The definition is not stored; the steps are in the order of their start.</span>`}</header><${SagaPicture} saga=${s} /></section>
    <div class="grid">
      <section class="card" aria-label="Facts"><h2>Saga</h2><dl class="facts">
        <${Fact} name="Business key"><${KeyLink} value=${s.key} /><//>
        <${Fact} name="Started"><${Time} at=${s.createdAt} full /><//>
        <${Fact} name=${s.ended ? 'Duration' : 'Running for'}>${age((Date.parse(s.endedAt ?? new Date()) - start) / 1_000)}<//>
        <${Fact} name="Ended"><${Time} at=${s.endedAt} full /><//>
        <${Fact} name="Next action"><${Time} at=${s.nextAt} /><//>
        <${Fact} name="Parent">${s.parentId ? html`<a class="mono" href=${link('saga', s.parentId)}>${s.parentId}</a>` : '–'}<//>
        <${Fact} name="Revision">${s.revision}<//>
      </dl>
      ${s.error && html`<h3>Error</h3><pre tabindex="0" aria-label="Error">${visible(s.error)}</pre>`}
      <h3>Headers</h3><${Headers} headers=${s.headers} />
      <h3>Data</h3>${s.data === null ? html`<p class="soft">Your role may not see the data of sagas.</p>` : html`<${JsonText} text=${s.data} label="Data of the saga" />`}</section>
      <section class="card" aria-label="Timeline"><h2>Timeline</h2>
        ${!s.historyComplete && html`<p class="notice">Older entries were removed; the timeline is not complete.</p>`}
        <ol class="timeline">${s.history.map(h => html`<li class=${HISTORY_TONE(h.kind)}><div><div class="line"><strong>${h.kind.toLowerCase().replaceAll('_', ' ')}</strong>${h.step && html`<span>${oneLine(h.step)}</span>`}${h.attempt > 1 && html`<span class="soft">attempt ${h.attempt}</span>`}<${Time} at=${h.at} /><span class="time">+${age((Date.parse(h.at) - start) / 1_000)}</span></div>
          ${h.detail && html`<div class="soft mono clamp" title=${visible(h.detail).slice(0, 2_000)}>${oneLine(h.detail).slice(0, 600)}</div>`}</div></li>`)}</ol></section>
    </div>
    <section class="card flush" aria-label="Steps"><header><h2>Steps</h2></header><${Table} label="Steps" rows=${s.steps} rowKey=${x => x.name} columns=${[
      { name: 'Step', cell: x => oneLine(x.name) }, { name: 'State', cell: x => html`<${Badge} state=${x.status} />` },
      { name: 'Attempts', number: true, cell: x => x.attempts }, { name: 'Undo attempts', number: true, cell: x => x.compensationAttempts || '' },
      { name: 'Started', cell: x => html`<${Time} at=${x.startedAt} />` }, { name: 'Ended', cell: x => html`<${Time} at=${x.endedAt} />` },
      { name: 'Next attempt', cell: x => html`<${Time} at=${x.nextAt} />` }, { name: 'Error', width: 'long', cell: x => html`<${Clamp} text=${x.error} />` },
    ]} /></section>`;
}
