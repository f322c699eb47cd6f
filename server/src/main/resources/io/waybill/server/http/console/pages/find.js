// An id was entered into the search: it may belong to an event, to a saga, or be a business key.
import { html, useEffect } from '../lib/dom.js';
import { api } from '../lib/api.js';
import { go, link } from '../lib/router.js';
import { Loading } from '../ui/basics.js';

export default function Find({ parts: [wanted] }) {
  useEffect(() => {
    let ended = false;
    const open = address => { if (!ended) go(address, true); };
    api.event(wanted).then(() => open(link('event', wanted)),
      () => api.saga(wanted).then(() => open(link('saga', wanted)), () => open(link('key', wanted))));
    return () => { ended = true; };
  }, [wanted]);
  return html`<${Loading} />`;
}
