/** The launcher's API. */

async function request(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers['content-type'] = 'application/json';
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error('The launcher does not answer. Is ./waybill example polyshop still running?');
  }
  const text = await answer.text();
  let json = null;
  try {
    json = text ? JSON.parse(text) : null;
  } catch {
    // An answer without JSON is an error page; its status says enough.
  }
  if (!answer.ok) throw new Error(json?.message || `${method} ${path} answered ${answer.status}.`);
  return json;
}

export const api = {
  state: () => request('GET', '/api/state'),
  place: (quantity) => request('POST', '/api/orders', { quantity }),
  act: (id, action) => request('POST', `/api/orders/${encodeURIComponent(id)}/${action}`),
  fault: (name, active) => request(active ? 'POST' : 'DELETE', `/api/faults/${name.split('/').map(encodeURIComponent).join('/')}`),
};

/** Opens the stream of events. The browser connects again by itself. */
export function stream({ opened, lost, event }) {
  const source = new EventSource('/api/stream');
  source.addEventListener('open', opened);
  source.addEventListener('error', lost);
  source.addEventListener('event', (message) => {
    try {
      event(JSON.parse(message.data));
    } catch {
      // A malformed line is not worth a broken page.
    }
  });
}
