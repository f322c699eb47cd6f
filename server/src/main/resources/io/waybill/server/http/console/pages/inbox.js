import { html } from '../lib/dom.js';
import { useLoad, usePages } from '../lib/hooks.js';
import { api } from '../lib/api.js';
import { link } from '../lib/router.js';
import { age, count, oneLine, plural, visible } from '../lib/format.js';
import { ActionButton, Badge, Clamp, Empty, Listing, PageHead, Table, Time } from '../ui/basics.js';
import { confirmAction } from '../ui/dialogs.js';

const TEXTS = {
  replay: { title: 'Replay this dead letter', confirm: 'Replay', text: 'The group handles the event again.' },
  discard: { title: 'Discard this dead letter', confirm: 'Discard', danger: true, text: 'The group never handles the event. Later events of its entity are not affected.' },
};

export function inboxDialog(action, group, id, done) {
  confirmAction({
    ...TEXTS[action], done,
    suggestions: action === 'replay' ? ['handler is fixed'] : [],
    run: async body => (await api.inboxAction(group, id, action, body)).detail || 'Done.',
  });
}

function DeadLetters({ group }) {
  const list = usePages((cursor, signal) => api.inboxDeadLetters(group, cursor, signal), [group], 5);
  return html`<h2>Dead letters</h2><${Listing} list=${list} empty=${html`<${Empty} title="No dead letter">Every event of this group was handled, or is still being retried.<//>`}>
    ${items => html`<${Table} label="Dead letters" rows=${items} rowKey=${e => e.eventId} columns=${[
      { name: 'Event', cell: e => html`<a class="mono nowrap" href=${link('deadletter', group, e.eventId)}>${e.eventId.slice(0, 8)}…</a>` },
      { name: 'Type', width: 'text', cell: e => e.eventType ? html`<${Clamp} text=${e.eventType} />` : html`<span class="bad">unreadable message</span>` },
      { name: 'Entity', width: 'text', cell: e => html`<${Clamp} text=${e.entity} />` },
      { name: 'Attempts', number: true, cell: e => e.attempts },
      { name: 'Failed', cell: e => html`<${Time} at=${e.failedAt} />` },
      { name: 'Error', width: 'long', cell: e => html`<${Clamp} text=${e.error} />` },
      { name: '', cell: e => html`<div class="actions"><${ActionButton} onClick=${() => inboxDialog('replay', group, e.eventId, list.reload)}>Replay …<//>
        <${ActionButton} class="danger" onClick=${() => inboxDialog('discard', group, e.eventId, list.reload)}>Discard …<//></div>` },
    ]} />`}<//>`;
}

export default function Inbox({ parts: [group] }) {
  const list = useLoad(signal => api.inbox(signal), [], 5);
  const one = list.data?.items.find(g => g.group === group);
  if (group) {
    return html`<${PageHead} title=${html`Group <span class="mono">${oneLine(group)}</span>`}><a href=${link('inbox')}>All groups</a><//>
      ${one?.pausedConsumers > 0 && html`<p class="notice warn">${plural(one.pausedConsumers, 'consumer has', 'consumers have')} paused since <${Time} at=${one.pausedSince} />: ${visible(one.pauseReason)}. A paused consumer tries one event from time to time and resumes by itself when the handler succeeds.</p>`}
      ${one && one.retrying + one.parked > 0 && html`<p class="notice">${plural(one.retrying, 'event is', 'events are')} being retried, and ${plural(one.parked, 'event waits', 'events wait')} behind them. The consumer retries them by itself; after the last attempt they become dead letters.</p>`}<${DeadLetters} key=${'dead' + group} group=${group} />`;
  }
  return html`<${PageHead} title="Inbox">Consumer groups that handle events through this database, each event once.<//>
    <${Listing} list=${list} empty=${html`<${Empty} title="No consumer group">No service has handled an event through the inbox tables of this database. Inboxes in other databases have consoles of their own.<//>`}>
      ${items => html`<${Table} label="Groups" rows=${items} rowKey=${g => g.group} columns=${[
        { name: 'Group', width: 'text', cell: g => html`<a class="clamp" href=${link('inbox', g.group)}>${oneLine(g.group)}</a>` },
        { name: 'State', cell: g => g.pausedConsumers ? html`<${Badge} tone="bad">paused<//> <${Clamp} text=${g.pauseReason} />` : g.deadLetters || g.retrying ? html`<${Badge} tone="warn">handling, with failures<//>` : html`<${Badge} tone="good">handling<//>` },
        { name: 'Retrying', number: true, cell: g => count(g.retrying) },
        { name: 'Parked', number: true, cell: g => count(g.parked) },
        { name: 'Dead letters', number: true, cell: g => html`<span class=${g.deadLetters ? 'bad' : ''}>${count(g.deadLetters)}</span>` },
        { name: 'Oldest held', number: true, cell: g => g.retrying + g.parked ? age(g.oldestAgeSeconds) : '–' },
        { name: 'Last handled', cell: g => html`<${Time} at=${g.lastProcessedAt} />` },
      ]} />`}<//>`;
}
