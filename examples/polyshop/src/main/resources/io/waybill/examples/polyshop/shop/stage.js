/** The picture: cards of services, the belt of Kafka, and events that fly between them. */
import { byId, element, icon, setText } from './dom.js';
import { CONSUMERS, SERVICES, serviceName, shortTopic } from './topics.js';

const LARGEST_BELT = 24;
const LARGEST_FLIGHTS = 60;
const calm = matchMedia('(prefers-reduced-motion: reduce)');

const cards = new Map();
let flights = 0;
let total = 0;

/** @param onPower called with the name of a service and whether it shall be killed */
export function buildStage(onPower) {
  for (const [name, { row, icon: path }] of Object.entries(SERVICES)) {
    const power = element('button', {
      class: 'power',
      type: 'button',
      on: { click: () => onPower(name, card.dataset.status === 'UP') },
    });
    const language = element('span', { class: 'language' });
    const sent = element('span', { class: 'sent', title: 'Events of this service since the page was opened' }, '0');
    const note = element('p', { class: 'note' });
    const card = element(
      'article',
      { class: 'card', data: { service: name, status: 'UNKNOWN' } },
      element('div', { class: 'face' }, icon(path)),
      element('div', { class: 'who' }, element('h3', {}, name), element('p', { class: 'about' }, language), note),
      element('div', { class: 'side' }, sent, power),
    );
    byId(`row-${row}`).append(card);
    cards.set(name, { card, language, sent, power, note, count: 0 });
  }
}

/** Shows the status of services and servers. */
export function updateStage(state) {
  for (const service of state.services ?? []) {
    const name = serviceName(service.name);
    const entry = cards.get(name);
    if (!entry) continue;
    entry.card.dataset.status = ['UP', 'DOWN', 'MISSING'].includes(service.status) ? service.status : 'UNKNOWN';
    setText(entry.language, String(service.language ?? ''));
    setText(entry.note, service.status === 'MISSING' ? String(service.detail ?? 'cannot run on this machine') : '');
    const up = service.status === 'UP';
    entry.power.hidden = service.status === 'MISSING';
    entry.power.title = up ? `Kill ${name} (SIGKILL)` : `Start ${name} again`;
    entry.power.setAttribute('aria-label', entry.power.title);
    setText(entry.power, up ? 'kill' : 'start');
  }
  const known = (state.services ?? []).filter((service) => !cards.has(serviceName(service.name)));
  const servers = [...(state.servers ?? []), ...known];
  byId('servers').replaceChildren(
    ...servers.map((server) => element('span', { class: 'server', data: { status: String(server.status) }, title: String(server.status) }, String(server.name))),
  );
  byId('bus').dataset.status = String((state.servers ?? []).find((server) => server.name === 'kafka')?.status ?? 'UNKNOWN');
}

/** Shows an event: it flies from its producer to the belt, and from there to its consumers. */
export function showEvent(event) {
  const topic = String(event.topic ?? '');
  const producer = serviceName(event.service);
  const kind = SERVICES[producer] ? producer : 'other';
  total++;
  setText(byId('bus-count'), `${total} ${total === 1 ? 'event' : 'events'}`);
  const dead = topic.endsWith('.dlt');
  const chip = element('li', { class: dead ? 'chip dead' : 'chip', data: { service: kind }, title: topic }, shortTopic(topic));
  const entry = cards.get(producer);
  if (entry) {
    entry.count++;
    setText(entry.sent, String(entry.count));
  }
  const consumers = (Object.hasOwn(CONSUMERS, topic) ? CONSUMERS[topic] : []).filter((name) => cards.has(name));
  const land = () => {
    const belt = byId('belt');
    belt.prepend(chip);
    while (belt.children.length > LARGEST_BELT) belt.lastElementChild.remove();
    for (const consumer of consumers) fly(byId('bus'), cards.get(consumer).card, kind, dead, () => pulse(consumer, kind));
  };
  if (!entry || calm.matches || document.hidden) {
    land();
  } else {
    pulse(producer, kind);
    fly(entry.card, byId('bus'), kind, dead, land);
  }
}

/** Shows a request of a customer. */
export function showRequest() {
  fly(cards.get('gateway').card, cards.get('order').card, 'gateway', false, () => pulse('order', 'gateway'));
}

function pulse(name, kind) {
  const { card } = cards.get(name);
  if (calm.matches) return;
  card.dataset.pulse = kind;
  card.animate([{ transform: 'scale(1)' }, { transform: 'scale(1.035)' }, { transform: 'scale(1)' }], { duration: 420, easing: 'ease-out' });
}

/** Moves a dot along a curve. When too many are in the air, the event arrives at once. */
function fly(from, to, kind, dead, arrived) {
  if (calm.matches || document.hidden || flights >= LARGEST_FLIGHTS) {
    arrived();
    return;
  }
  const sky = byId('sky');
  const base = sky.getBoundingClientRect();
  const start = center(from, base, to);
  const end = center(to, base, from);
  const dot = element('span', { class: dead ? 'dot dead' : 'dot', data: { service: kind } });
  sky.append(dot);
  flights++;
  const bend = (end.x - start.x) * 0.18;
  const path = [];
  for (let i = 0; i <= 12; i++) {
    const t = i / 12;
    const x = start.x + (end.x - start.x) * t + Math.sin(Math.PI * t) * bend;
    const y = start.y + (end.y - start.y) * t;
    path.push({ transform: `translate(${x}px, ${y}px) scale(${0.7 + 0.5 * Math.sin(Math.PI * t)})`, opacity: t === 0 || t === 1 ? 0.4 : 1 });
  }
  const done = () => {
    dot.remove();
    flights--;
    arrived();
  };
  dot.animate(path, { duration: 620, easing: 'cubic-bezier(.45,.05,.35,1)' }).finished.then(done, done);
}

/** The place where a dot begins or ends: on the belt, opposite of the other card. */
function center(node, base, other) {
  const box = node.getBoundingClientRect();
  if (node.id === 'bus') {
    const beside = other.getBoundingClientRect();
    const x = Math.min(Math.max(beside.left + beside.width / 2, box.left + 20), box.right - 20);
    return { x: x - base.left, y: box.top + box.height / 2 - base.top };
  }
  return { x: box.left + box.width / 2 - base.left, y: box.top + box.height / 2 - base.top };
}
