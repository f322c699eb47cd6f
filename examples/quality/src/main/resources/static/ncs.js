import {get, patch, post} from './api.js';
import {badge, field, h, notify, table, time} from './dom.js';
import {submitted} from './forms.js';
import {Panel} from './panel.js';
import {may} from './rights.js';

const severities = ['low', 'medium', 'high'];
const colours = {low: '', medium: 'warn', high: 'bad'};

export function ncPanel(session, changed) {
    const editable = may(session, 'changeNcs');
    const status = choice('Status', ['OPEN', 'CLOSED'], () => panel.refresh());
    const severity = choice('Severity', severities, () => panel.refresh());
    const panel = new Panel({
        id: 'ncs', title: 'Non-conformities', controls: [h('div', {}, status, ' ', severity)],
        form: editable ? createForm(changed) : null,
        load: () => {
            const query = new URLSearchParams({limit: 100});
            [['status', status.value], ['severity', severity.value]].filter(([, value]) => value).forEach(([name, value]) => query.set(name, value));
            return get(`ncs?${query}`);
        },
        show: ncs => table(['', 'What', 'Supplier', 'Severity', 'Since', ''], ncs.map(nc => row(nc, editable, changed)),
            'None.' + (editable ? '' : ' Sign in as quality to report one.')),
    });
    return panel;
}

function choice(name, values, onchange) {
    return h('select', {'aria-label': name, onchange}, h('option', {value: ''}, `${name}: all`), values.map(value => h('option', {}, value)));
}

function row(nc, editable, changed) {
    const close = h('button', {onclick: async event => {
        event.target.disabled = true;
        try {
            await patch(`ncs/${nc.id}/close`);
            notify(`Non-conformity ${nc.id} closed.`);
        } catch (error) {
            notify(error.message, true);
        }
        changed();
    }}, 'Close');
    return h('tr', {'data-id': nc.id}, h('td', {class: 'tight'}, String(nc.id)), h('td', {}, nc.description), h('td', {class: 'tight'}, String(nc.supplier_id)),
        h('td', {}, badge(nc.severity, colours[nc.severity])), h('td', {class: 'tight'}, time(nc.created_at)),
        h('td', {class: 'tight'}, nc.status === 'OPEN' ? (editable ? close : badge('open', 'warn')) : badge('closed', 'good')));
}

function createForm(changed) {
    const supplier = h('select', {name: 'supplier_id', required: true});
    const severity = h('select', {name: 'severity'}, severities.map(value => h('option', {}, value)));
    const description = h('input', {name: 'description', required: true, maxlength: 2000});
    const fill = async () => {
        const chosen = supplier.value;
        const suppliers = await get('suppliers?limit=100').catch(() => []);
        supplier.replaceChildren(...suppliers.map(({id, name}) => h('option', {value: id}, name)));
        if (chosen) {
            supplier.value = chosen;
        }
    };
    fill();
    return h('form', {onfocusin: event => event.target === supplier && fill(), onsubmit: submitted(async () => {
        const nc = await post('ncs', {supplier_id: Number(supplier.value), severity: severity.value, description: description.value});
        notify(`Non-conformity ${nc.id} reported.`);
    }, changed)}, field('Supplier', supplier), field('Severity', severity), field('What is wrong', description, true), h('button', {class: 'main'}, 'Report'));
}
