// Charts of the samples of the last minutes, drawn as SVG. A chart of 300 points is rebuilt once a second.
import { html, useRef, useState, useLayoutEffect } from '../lib/dom.js';
import { useCell } from '../lib/hooks.js';
import { time, zone } from '../lib/format.js';

const HEIGHT = 130;
const LEFT = 44;
const BOTTOM = 18;
const TOP = 6;
const WINDOWS = [60, 120, 300];
const MARKS = 4;

/** Rounds up to 1, 2 or 5 times a power of ten, so that the axis has readable numbers. */
function ceiling(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(n => n * power).find(n => n >= value * 0.999);
}

/** series: [{name, value(sample), format(number)}]. All series share the axis. */
export function Chart({ label, samples, series }) {
  useCell(zone);
  const box = useRef(null);
  const [width, setWidth] = useState(560);
  const [pointer, setPointer] = useState(null);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry.contentRect.width)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const end = samples.at(-1)?.at ?? Date.now();
  // The window grows with the samples, from one minute to five.
  const seconds = WINDOWS.find(w => end - (samples[0]?.at ?? end) <= w * 1_000) ?? WINDOWS.at(-1);
  const begin = end - seconds * 1_000;
  const shown = samples.filter(s => s.at >= begin);
  const top = ceiling(Math.max(...shown.flatMap(s => series.map(one => one.value(s))), 0));
  const x = at => LEFT + (at - begin) / (end - begin) * (width - LEFT);
  const y = value => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const line = one => shown.map((s, i) => `${i ? 'L' : 'M'}${x(s.at).toFixed(1)} ${y(one.value(s)).toFixed(1)}`).join('');
  const near = pointer === null ? null : shown.reduce((best, s) => !best || Math.abs(x(s.at) - pointer) < Math.abs(x(best.at) - pointer) ? s : best, null);
  const now = near ?? shown.at(-1);
  const format = series[0].format;
  return html`<figure class="chart" ref=${box}>
    <div class="legend">${series.map((one, i) => html`<span class=${'chart-' + (i + 1)}><span>${one.name} </span><b>${now ? one.format(one.value(now)) : '–'}</b></span>`)}
      ${near && html`<time>${time(new Date(near.at).toISOString())}</time>`}</div>
    <svg role="img" aria-label=${label + ': ' + series.map(one => `${one.name} ${now ? one.format(one.value(now)) : 'unknown'}`).join(', ')} height=${HEIGHT} viewBox=${`0 0 ${width} ${HEIGHT}`}
      onPointerMove=${e => setPointer((e.clientX - e.currentTarget.getBoundingClientRect().left) * width / e.currentTarget.getBoundingClientRect().width)} onPointerLeave=${() => setPointer(null)}>
      ${[0, top / 2, top].map(value => html`<line class="axis" x1=${LEFT} x2=${width} y1=${y(value)} y2=${y(value)} /><text x=${LEFT - 6} y=${y(value) + 4} text-anchor="end">${format(value)}</text>`)}
      ${Array.from({ length: MARKS + 1 }, (_, i) => html`<text x=${x(begin + i * seconds * 1_000 / MARKS)} y=${HEIGHT - 3} text-anchor=${i === 0 ? 'start' : i === MARKS ? 'end' : 'middle'}>${i === MARKS ? 'now' : `−${Math.round(seconds * (MARKS - i) / MARKS)} s`}</text>`)}
      ${shown.length > 1 && series.map((one, i) => html`
        <path class=${'area chart-' + (i + 1)} d=${`${line(one)}L${x(shown.at(-1).at)} ${y(0)}L${x(shown[0].at)} ${y(0)}Z`} />
        <path class=${'chart-' + (i + 1)} d=${line(one)} />`)}
      ${near && html`<line class="cursor" x1=${x(near.at)} x2=${x(near.at)} y1=${TOP} y2=${y(0)} />`}
    </svg>
  </figure>`;
}

export function Sparkline({ values, label }) {
  const top = Math.max(...values, 1);
  const low = Math.min(...values, top);
  const points = values.length > 1 ? values : [values[0] ?? 0, values[0] ?? 0];
  const height = v => top === low ? 13 : 24 - (v - low) / (top - low) * 22;
  return html`<svg class="spark" role="img" aria-label=${label} viewBox="0 0 96 26"><path d=${points.map((v, i) => `${i ? 'L' : 'M'}${(i / (points.length - 1) * 94 + 1).toFixed(1)} ${height(v).toFixed(1)}`).join('')} /></svg>`;
}
