/** The orders, and the way of one of them through its saga. */
import { byId, element, money, setText, short, time } from './dom.js';

const WAY = ['CREATED', 'RESERVING_STOCK', 'PENDING_PAYMENT', 'PAID', 'FULFILLING', 'FULFILLED'];
const LABELS = {
  CREATED: 'Placed',
  RESERVING_STOCK: 'Reserving stock',
  PENDING_PAYMENT: 'Waiting for payment',
  PAID: 'Paid',
  FULFILLING: 'Shipping',
  FULFILLED: 'Shipped',
  PAYMENT_FAILED: 'Payment failed',
  CANCELLED: 'Cancelled',
  EXPIRED: 'Not paid in time',
};
/** Shorter, for the list. */
const WORDS = { ...LABELS, RESERVING_STOCK: 'Reserving', PENDING_PAYMENT: 'To be paid', EXPIRED: 'Expired' };
const ENDED_BADLY = ['PAYMENT_FAILED', 'CANCELLED', 'EXPIRED'];
const CANCELLABLE = ['CREATED', 'RESERVING_STOCK', 'PENDING_PAYMENT', 'PAID'];

let chosen = null;
let orders = [];
const reached = new Map();

/** Follows an order instead of the newest one. */
export function follow(id) {
  chosen = id;
  render();
}

export function selected() {
  return orders.find((order) => order.id === chosen) ?? orders[0] ?? null;
}

export function updateOrders(state) {
  orders = Array.isArray(state.orders) ? state.orders : [];
  for (const order of orders) {
    const furthest = Math.max(reached.get(order.id) ?? 0, WAY.indexOf(order.status), reachedBySteps(order));
    reached.set(order.id, furthest);
  }
  for (const id of reached.keys()) if (!orders.some((order) => order.id === id)) reached.delete(id);
  render();
}

/** How far an order went before it was cancelled, from the log of its saga. */
function reachedBySteps(order) {
  const steps = (order.saga?.steps ?? []).map((step) => `${step.step} ${step.status}`.toLowerCase());
  const done = (name) => steps.some((step) => step.includes(name) && step.includes('completed'));
  if (done('fulfil')) return WAY.indexOf('FULFILLED');
  if (done('await') || done('paid')) return WAY.indexOf('PAID');
  if (done('reserve')) return WAY.indexOf('PENDING_PAYMENT');
  return steps.some((step) => step.includes('reserve')) ? WAY.indexOf('RESERVING_STOCK') : 0;
}

function render() {
  const order = selected();
  setText(byId('orders-count'), orders.length ? String(orders.length) : '');
  const list = byId('orders');
  list.replaceChildren(
    ...(orders.length === 0
      ? [element('li', { class: 'empty' }, 'No orders yet. Place one.')]
      : orders.map((each) =>
          element(
            'li',
            {},
            element(
              'button',
              { type: 'button', class: 'order', 'aria-pressed': String(each === order), on: { click: () => follow(each.id) } },
              element('span', { class: 'mono' }, short(each.id)),
              element('span', { class: 'when' }, time(each.createdAt)),
              element('span', { class: 'sum' }, money(each.totalAmount, each.currency)),
              element('span', { class: 'state', data: { tone: tone(each.status) } }, label(each.status, WORDS)),
            ),
          ),
        )),
  );
  renderTrack(order);
}

function renderTrack(order) {
  setText(byId('order-id'), order ? String(order.id) : '');
  setText(byId('order-amount'), order ? money(order.totalAmount, order.currency) : '');
  setText(byId('trace'), order?.traceId ? `trace ${order.traceId}` : '');
  const status = order?.status ?? null;
  byId('pay').disabled = status !== 'PENDING_PAYMENT';
  byId('fulfil').disabled = status !== 'FULFILLING';
  byId('cancel').disabled = !CANCELLABLE.includes(status);

  const badly = ENDED_BADLY.includes(status);
  const furthest = order ? (reached.get(order.id) ?? 0) : -1;
  const stops = WAY.map((stop, index) => {
    let state = 'ahead';
    if (index < furthest || (index === furthest && (stop === 'FULFILLED' || badly))) state = 'done';
    else if (index === furthest) state = 'here';
    if (badly && index > furthest) state = 'never';
    return element('li', { data: { state } }, element('span', { class: 'stop' }), element('span', { class: 'stop-name' }, LABELS[stop]));
  });
  if (badly) {
    const end = element('li', { data: { state: 'bad' } }, element('span', { class: 'stop' }), element('span', { class: 'stop-name' }, label(status)));
    stops.splice(furthest + 1, stops.length, end);
  }
  byId('track').replaceChildren(...stops);

  const steps = order?.saga?.steps ?? [];
  byId('steps').replaceChildren(
    ...steps.map((step) =>
      element(
        'li',
        { data: { tone: stepTone(step.status) } },
        element('span', { class: 'step-name' }, String(step.step)),
        element('span', { class: 'step-status' }, String(step.status).toLowerCase().replaceAll('_', ' ')),
        element('span', { class: 'when' }, time(step.timestamp)),
      ),
    ),
  );
}

function label(status, words = LABELS) {
  return Object.hasOwn(words, status) ? words[status] : String(status);
}

function tone(status) {
  if (ENDED_BADLY.includes(status)) return 'bad';
  if (status === 'FULFILLED') return 'good';
  return 'busy';
}

function stepTone(status) {
  if (/FAIL|TIME|CANCEL|DOUBT|STUCK/.test(status)) return 'bad';
  if (/COMPENSAT/.test(status)) return 'warn';
  return /COMPLET|DONE/.test(status) ? 'good' : 'busy';
}
