import { html } from '../lib/dom.js';
import { Empty, PageHead } from '../ui/basics.js';

export default function Missing() {
  return html`<${PageHead} title="Not found" /><div class="card"><${Empty} title="There is no page at this address">The link may come from another version of the console. <a href="#/overview">Go to the overview</a>.<//></div>`;
}
