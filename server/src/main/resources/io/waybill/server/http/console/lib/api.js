// The HTTP API. Every call returns parsed JSON or throws an ApiError.
import { cell } from './dom.js';

const ROOT = '/api/v1';

/** The answer of GET /session; null until it arrives. */
export const session = cell(null);
/** The name of the outbox that the console shows. */
export const outbox = cell('main');

export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `The server answered with status ${status}.`);
    this.status = status;
    this.title = problem.title;
    this.remedy = problem.remedy;
    this.type = problem.type;
    this.errors = problem.errors;
  }
}

async function request(method, path, { body, signal } = {}) {
  let response;
  try {
    response = await fetch(ROOT + path, {
      method,
      signal,
      credentials: 'same-origin',
      headers: { Accept: 'application/json', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (failure) {
    if (signal?.aborted) throw failure;
    throw new ApiError(0, {
      title: 'The console server does not answer',
      detail: 'The console server does not answer.',
      remedy: 'Check that the waybill process runs and that this computer reaches it.',
    });
  }
  const text = await response.text();
  let json = {};
  try {
    json = text ? JSON.parse(text) : {};
  } catch {
    if (response.ok) throw new ApiError(response.status, { title: 'The answer is not JSON', detail: 'The answer of the server is not JSON. A proxy may have replaced it.' });
  }
  if (!response.ok) {
    // The session has expired: the sign-in form appears in place of the page.
    if (response.status === 401 && path !== '/session') session.set({ ...session.get(), user: null, permissions: [] });
    throw new ApiError(response.status, json);
  }
  return json;
}

const query = parameters => {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const search = new URLSearchParams();
  pairs.forEach(([name, value]) => search.append(name, String(value)));
  const text = search.toString();
  return text ? '?' + text : '';
};
const part = encodeURIComponent;
const of = path => `/outboxes/${part(outbox.get())}${path}`;
const get = (path, parameters = {}, signal) => request('GET', of(path) + query(parameters), { signal });
const post = (path, body = {}) => request('POST', of(path), { body });

export const api = {
  url: (path, parameters = {}) => ROOT + of('/' + path) + query(parameters),
  session: () => request('GET', '/session'),
  signIn: (user, password) => request('POST', '/session', { body: { user, password } }),
  signOut: () => request('DELETE', '/session'),
  permissions: signal => request('GET', '/permissions', { signal }),
  outboxes: signal => request('GET', '/outboxes', { signal }),

  overview: signal => get('/overview', {}, signal),
  events: (filter, cursor, limit, signal) => get('/events', { ...filter, cursor, limit }, signal),
  event: (id, signal) => get(`/events/${part(id)}`, {}, signal),
  payload: (id, limit) => get(`/events/${part(id)}/payload`, { limit }),
  eventAction: (id, action, body) => post(`/events/${part(id)}/${action}`, body),
  failures: signal => get('/failures', {}, signal),
  blockedKeys: (cursor, signal) => get('/keys', { cursor, limit: 50 }, signal),
  trail: (key, cursor, signal) => get(`/keys/${part(key)}`, { cursor, limit: 100 }, signal),
  releaseKey: (key, body) => post(`/keys/${part(key)}/release`, body),
  pauses: signal => get('/pauses', {}, signal),
  pause: body => post('/pauses', body),
  resume: body => post('/pauses/resume', body),
  inbox: signal => get('/inbox', {}, signal),
  inboxDeadLetters: (group, cursor, signal) => get(`/inbox/${part(group)}/dead-letters`, { cursor, limit: 50 }, signal),
  inboxDeadLetter: (group, id, signal) => get(`/inbox/${part(group)}/dead-letters/${part(id)}`, {}, signal),
  inboxPayload: (group, id, limit) => get(`/inbox/${part(group)}/dead-letters/${part(id)}/payload`, { limit }),
  inboxAction: (group, id, action, body) => post(`/inbox/${part(group)}/dead-letters/${part(id)}/${action}`, body),
  sagas: (filter, cursor, signal) => get('/sagas', { ...filter, cursor, limit: 50 }, signal),
  saga: (id, signal) => get(`/sagas/${part(id)}`, {}, signal),
  sagaStatistics: signal => get('/sagas/stats', {}, signal),
  sagaAction: (id, action, body) => post(`/sagas/${part(id)}/${action}`, body),
  operations: (cursor, signal) => get('/operations', { cursor, limit: 50 }, signal),
  operation: (id, signal) => get(`/operations/${part(id)}`, {}, signal),
  operationResults: (id, cursor, signal) => get(`/operations/${part(id)}/results`, { cursor, limit: 100 }, signal),
  createOperation: body => post('/operations', body),
  operationAction: (id, action, body) => post(`/operations/${part(id)}/${action}`, body),
  audit: (filter, cursor, signal) => get('/audit', { ...filter, cursor, limit: 50 }, signal),
};

/** An id for one action. The server applies two requests with the same id once. */
export function actionId() {
  // randomUUID exists only in secure contexts, and a console behind a proxy may be reached without TLS.
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return [...bytes].map((b, i) => ([4, 6, 8, 10].includes(i) ? '-' : '') + b.toString(16).padStart(2, '0')).join('');
}
