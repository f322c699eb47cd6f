import {get, patch, post} from './api.js';
import {badge, field, h, notify, table} from './dom.js';
import {Panel} from './panel.js';
import {may} from './rights.js';
import {submitted} from './forms.js';

export function supplierPanel(session, changed) {
    const editable = may(session, 'changeSuppliers');
    return new Panel({
        id: 'suppliers', title: 'Suppliers',
        form: editable ? createForm(changed) : null,
        load: () => get('suppliers?limit=100'),
        show: suppliers => table(['', 'Name', 'Certified until'], suppliers.map(supplier => row(supplier, editable, changed)),
            'No suppliers yet.' + (editable ? '' : ' Sign in as procurement to add one.')),
    });
}

function row(supplier, editable, changed) {
    const expiry = h('input', {type: 'date', required: true, value: supplier.certification_expiry ?? '', 'aria-label': `Certification of ${supplier.name}`,
        onchange: async event => {
            if (!event.target.value) {
                return; // a date that is being typed
            }
            try {
                await patch(`suppliers/${supplier.id}/certification`, {certification_expiry: event.target.value});
                notify(`${supplier.name}: certification changed.`);
            } catch (error) {
                notify(error.message, true);
            }
            changed();
        }});
    return h('tr', {'data-id': supplier.id}, h('td', {class: 'tight'}, String(supplier.id)), h('td', {}, supplier.name),
        h('td', {class: 'tight'}, editable ? expiry : supplier.certification_expiry ?? '–', ' ', expired(supplier) ? badge('expired', 'bad') : ''));
}

function expired(supplier) {
    return supplier.certification_expiry !== null && supplier.certification_expiry < new Date().toISOString().slice(0, 10);
}

function createForm(changed) {
    const name = h('input', {name: 'name', required: true, maxlength: 200});
    const expiry = h('input', {name: 'certification_expiry', type: 'date'});
    return h('form', {onsubmit: submitted(async () => {
        const supplier = await post('suppliers', {name: name.value, certification_expiry: expiry.value || null});
        notify(`Supplier ${supplier.name} added.`);
    }, changed)}, field('New supplier', name, true), field('Certified until', expiry), h('button', {class: 'main'}, 'Add'));
}
