/** The page of the shop: shows what happens, and lets a visitor place orders and break things. */
import { api, stream } from './api.js';
import { byId, element, setText, short, time } from './dom.js';
import { follow, selected, updateOrders } from './orders.js';
import { buildStage, showEvent, showRequest, updateStage } from './stage.js';
import { SERVICES, serviceName, shortTopic } from './topics.js';

const LARGEST_LIST = 60;
const FAULTS = {
  'payment-refuses': ['Payments are refused', 'The saga releases the stock and cancels the order.'],
  'inventory-slow': ['Inventory freezes', 'The command waits in Kafka, and the saga repeats it.'],
  'notification-down': ['Notification freezes', 'Orders continue. The mails arrive later, each once.'],
  'broker-stopped': ['Kafka stops', 'Services continue to write to their outboxes.'],
};

let refreshing = null;
let again = false;
let events = 0;

function notice(message) {
  const line = byId('notice');
  line.hidden = !message;
  setText(line, message ?? '');
}

/** Reads the state. Calls during a request lead to one more request. */
async function refresh() {
  if (refreshing) {
    again = true;
    return refreshing;
  }
  refreshing = (async () => {
    do {
      again = false;
      try {
        const state = await api.state();
        updateStage(state);
        updateOrders(state);
        updateFaults(state);
        updateLetters(state);
        if (byId('notice').dataset.about === 'state') notice(null);
      } catch (e) {
        byId('notice').dataset.about = 'state';
        notice(e.message);
      }
    } while (again);
  })();
  await refreshing;
  refreshing = null;
}

let soon = null;
function refreshSoon() {
  soon ??= setTimeout(() => {
    soon = null;
    refresh();
  }, 150);
}

/** Runs an action of a button. The button is disabled meanwhile. */
async function act(button, work) {
  button.disabled = true;
  byId('notice').dataset.about = 'action';
  notice(null);
  try {
    await work();
  } catch (e) {
    byId('notice').dataset.about = 'action';
    notice(e.message);
  } finally {
    button.disabled = false;
    refresh();
  }
}

function updateFaults(state) {
  const faults = (state.faults ?? []).filter((fault) => !String(fault.name).startsWith('kill/'));
  const list = byId('faults');
  for (const fault of faults) {
    const name = String(fault.name);
    let toggle = [...list.querySelectorAll('button')].find((button) => button.dataset.fault === name);
    if (!toggle) {
      const [title, effect] = Object.hasOwn(FAULTS, name) ? FAULTS[name] : [name, ''];
      toggle = element('button', {
        type: 'button',
        class: 'switch',
        role: 'switch',
        data: { fault: name },
        on: { click: () => act(toggle, () => api.fault(name, toggle.getAttribute('aria-checked') !== 'true')) },
      }, element('span', { class: 'knob' }), element('span', { class: 'switch-text' }, element('strong', {}, title), element('span', {}, effect)));
      list.append(element('li', {}, toggle));
    }
    toggle.setAttribute('aria-checked', String(fault.active === true));
  }
}

function updateLetters(state) {
  const letters = state.deadLetters ?? [];
  setText(byId('letters-count'), letters.length ? String(letters.length) : '');
  byId('letters').replaceChildren(
    ...(letters.length === 0
      ? [element('li', { class: 'empty' }, 'None. Every event was processed.')]
      : letters.map((letter) =>
          element(
            'li',
            {},
            element('p', { class: 'letter-head' },
              element('span', { class: 'letter-topic' }, String(letter.topic)),
              element('span', { class: 'when' }, time(letter.failedAt))),
            element('p', { class: 'letter-error' }, String(letter.errorMessage ?? '')),
            element('p', { class: 'mono dim' }, `${serviceName(letter.consumerService)} · key ${short(letter.key)}`),
          ),
        )),
  );
}

function receive(event) {
  showEvent(event);
  events++;
  setText(byId('events-count'), String(events));
  const service = serviceName(event.service);
  const list = byId('events');
  list.prepend(
    element(
      'li',
      { data: { service: Object.hasOwn(SERVICES, service) ? service : 'other' }, title: String(event.topic) },
      element('span', { class: 'when' }, time(event.time)),
      element('span', { class: 'event-name' }, shortTopic(String(event.topic ?? ''))),
      element('span', { class: 'event-from' }, service),
      element('span', { class: 'mono dim' }, short(event.key)),
    ),
  );
  while (list.children.length > LARGEST_LIST) list.lastElementChild.remove();
  refreshSoon();
}

function linked(up) {
  const link = byId('link');
  link.dataset.up = String(up);
  setText(link, up ? 'live' : 'connecting');
}

async function place(quantity) {
  showRequest();
  const order = await api.place(quantity);
  follow(order?.id ?? null);
}

buildStage((name, kill) => {
  byId('notice').dataset.about = 'action';
  api.fault(`kill/${name}`, kill).then(() => notice(null), (e) => notice(e.message)).finally(refresh);
});
byId('place').addEventListener('click', () => act(byId('place'), () => place(1)));
byId('place-many').addEventListener('click', () => act(byId('place-many'), () => place(1_000_000)));
for (const action of ['pay', 'fulfil', 'cancel']) {
  byId(action).addEventListener('click', () => {
    const order = selected();
    if (order) act(byId(action), () => api.act(order.id, action));
  });
}
stream({
  opened: () => {
    linked(true);
    refresh();
  },
  lost: () => linked(false),
  event: receive,
});
refresh();
setInterval(() => {
  if (!document.hidden) refresh();
}, 1500);
