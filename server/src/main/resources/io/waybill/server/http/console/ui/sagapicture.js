// The execution of a saga as layers from left to right: steps of one layer can run at the same time.
import { html } from '../lib/dom.js';
import { oneLine } from '../lib/format.js';

const WIDTH = 196;
const HEIGHT = 66;
const GAP_X = 54;
const GAP_Y = 18;
const LONGEST_NAME = 24;

const STYLES = {
  COMPLETED: 'done', SKIPPED: 'undone', EXECUTING: 'active', COMPENSATING: 'active', COMPENSATED: 'undone', FAILED: 'failed', IN_DOUBT: 'failed', TAINTED: 'failed',
};
const cut = text => text.length > LONGEST_NAME ? text.slice(0, LONGEST_NAME - 1) + '…' : text;

export function SagaPicture({ saga }) {
  const steps = new Map(saga.steps.map(s => [s.name, s]));
  const outline = saga.outline;
  // Without a stored definition, the steps are shown in the order of the execution.
  const layers = outline?.layers ?? saga.steps.map(s => [s.name]);
  const definitions = new Map((outline?.steps ?? []).map(s => [s.name, s]));
  const tallest = Math.max(...layers.map(l => l.length), 1);
  const height = tallest * (HEIGHT + GAP_Y) - GAP_Y + 4;
  const at = new Map();
  layers.forEach((layer, x) => layer.forEach((name, y) => at.set(name, {
    x: 2 + x * (WIDTH + GAP_X),
    y: 2 + (height - 4 - (layer.length * (HEIGHT + GAP_Y) - GAP_Y)) / 2 + y * (HEIGHT + GAP_Y),
  })));
  const edges = outline
    ? outline.steps.flatMap(s => s.after.map(before => [before, s.name]))
    : saga.steps.slice(1).map((s, i) => [saga.steps[i].name, s.name]);
  const width = layers.length * (WIDTH + GAP_X) - GAP_X + 4;
  const title = [...at.keys()].map(name => `${oneLine(name)} ${(steps.get(name)?.status ?? 'pending').toLowerCase().replaceAll('_', ' ')}`).join(', ');
  return html`<div class="picture" tabindex="0" role="group" aria-label="Picture of the execution"><svg role="img" aria-label=${title} width=${width} height=${height} viewBox=${`0 0 ${width} ${height}`}>
    ${edges.filter(([a, b]) => at.has(a) && at.has(b)).map(([a, b]) => {
      const from = at.get(a);
      const to = at.get(b);
      const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
      return html`<path d=${`M${x1} ${y1}C${x1 + 28} ${y1} ${x2 - 28} ${y2} ${x2 - 2} ${y2}M${x2 - 8} ${y2 - 4}L${x2 - 2} ${y2}L${x2 - 8} ${y2 + 4}`} />`;
    })}
    ${[...at].map(([name, p]) => {
      const step = steps.get(name);
      const definition = definitions.get(name);
      const role = definition?.role?.toLowerCase().replaceAll('_', ' ') ?? '';
      return html`<g class=${`${STYLES[step?.status] ?? ''} ${step?.stuck ? 'stuck' : ''}`}><title>${oneLine(name)}: ${step?.status ?? 'PENDING'}</title>
        <rect x=${p.x} y=${p.y} width=${WIDTH} height=${HEIGHT} rx=${role === 'pivot' ? 2 : 8} />
        <text x=${p.x + 11} y=${p.y + 20} class="title">${cut(oneLine(name))}</text>
        <text class="small" x=${p.x + 11} y=${p.y + 37}>${(step?.status ?? 'PENDING').toLowerCase().replaceAll('_', ' ')}${step?.attempts > 1 ? ` · attempt ${step.attempts}` : ''}</text>
        <text class="small" x=${p.x + 11} y=${p.y + 54}>${step?.stuck ? 'needs a person' : definition?.compensation ? 'can be undone' : role}</text></g>`;
    })}
  </svg></div>`;
}
