// Addresses have the form #/page/part?name=value. They contain everything that a colleague needs to see the same view.
import { cell } from './dom.js';

function parse() {
  const text = location.hash.replace(/^#\/?/, '');
  const [path, search = ''] = text.split(/\?(.*)/s);
  const parts = path.split('/').filter(Boolean).map(part => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { page: parts[0] ?? 'overview', parts: parts.slice(1), query: Object.fromEntries(new URLSearchParams(search)), hash: location.hash };
}

export const route = cell(parse());
addEventListener('hashchange', () => route.set(parse()));

export function link(page, ...rest) {
  const query = typeof rest.at(-1) === 'object' && rest.at(-1) !== null ? rest.pop() : {};
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== '')).toString();
  return '#/' + [page, ...rest].map(encodeURIComponent).join('/') + (search ? '?' + search : '');
}

export function go(address, replace = false) {
  if (replace) {
    history.replaceState(null, '', address);
    route.set(parse());
  } else {
    location.hash = address;
  }
}
