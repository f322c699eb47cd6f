import {get} from './api.js';
import {h} from './dom.js';
import {Panel} from './panel.js';

const shown = [
    ['nc_open', 'open'],
    ['nc_open_high', 'open, severity high', 'bad'],
    ['nc_closed', 'closed'],
    ['suppliers_at_risk', 'suppliers at risk', 'warn'],
    ['audit_events_total', 'audit entries'],
    ['outbox_pending', 'events on their way', 'warn'],
    ['outbox_failed', 'events given up', 'bad'],
];
const remembered = 120;

export function kpiPanel() {
    const history = [];
    return new Panel({
        id: 'kpi', title: 'At a glance', wide: true, every: 1000,
        load: async () => {
            const kpi = await get('kpi');
            history.push(kpi);
            history.splice(0, history.length - remembered);
            return [kpi, history.length, Date.now()];
        },
        show: ([kpi]) => [
            h('div', {class: 'kpis'}, shown.map(([name, label, kind]) =>
                h('div', {class: `kpi ${kind && kpi[name] > 0 ? kind : ''}`, id: `kpi-${name}`}, h('b', {}, String(kpi[name])), h('span', {}, label)))),
            chart(history),
            h('div', {class: 'legend'}, h('span', {}, h('i'), 'audit entries a second'), h('span', {class: 'pending'}, h('i'), 'events on their way'),
                h('span', {}, `the last ${remembered / 60} minutes`)),
        ],
    });
}

function chart(history) {
    const written = history.slice(1).map((kpi, i) => Math.max(0, kpi.audit_events_total - history[i].audit_events_total));
    const pending = history.map(kpi => kpi.outbox_pending);
    const top = Math.max(5, ...written, ...pending);
    const svg = node('svg', {class: 'chart', viewBox: `0 0 ${remembered} 100`, preserveAspectRatio: 'none', role: 'img', 'aria-label': 'Audit entries a second and events on their way'});
    svg.append(node('line', {x1: 0, y1: 99, x2: remembered, y2: 99}), node('path', {d: path(written, top)}), node('path', {class: 'pending', d: path(pending, top)}));
    return svg;
}

function path(values, top) {
    const start = remembered - values.length;
    return values.map((value, i) => `${i === 0 ? 'M' : 'L'}${start + i} ${(98 - 94 * value / top).toFixed(1)}`).join(' ');
}

function node(name, attributes) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
    return element;
}
