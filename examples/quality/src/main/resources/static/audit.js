import {get} from './api.js';
import {badge, h, table, time} from './dom.js';
import {Panel} from './panel.js';

export function auditPanel() {
    let newest = null;
    return new Panel({
        id: 'audit', title: 'Audit trail', wide: true, every: 1000,
        controls: [badge('live', 'good')],
        load: () => get('audit-log?limit=100'),
        show: entries => {
            const before = newest;
            newest = Math.max(0, ...entries.map(entry => entry.id));
            return table(['', 'When', 'Action', 'What', 'Request', 'Trace'],
                entries.map(entry => row(entry, before !== null && entry.id > before)), 'Nothing yet: report a non-conformity or change a certification.');
        },
    });
}

function row(entry, fresh) {
    const meta = entry.meta_json ?? {};
    return h('tr', {class: fresh ? 'fresh' : '', 'data-id': entry.id}, h('td', {class: 'tight'}, String(entry.id)), h('td', {class: 'tight'}, time(entry.created_at)),
        h('td', {}, entry.action), h('td', {class: 'tight'}, `${entry.entity_type} ${entry.entity_id}`),
        h('td', {}, h('code', {}, meta.request_id ?? '–')), h('td', {}, h('code', {}, meta.traceparent?.split('-')[1] ?? '–')));
}
