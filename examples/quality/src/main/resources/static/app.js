import {login, logout, session} from './api.js';
import {auditPanel} from './audit.js';
import {field, h, notify} from './dom.js';
import {kpiPanel} from './kpi.js';
import {ncPanel} from './ncs.js';
import {may} from './rights.js';
import {supplierPanel} from './suppliers.js';

const main = document.getElementById('main');
const corner = document.getElementById('session');
let panels = [];

function show() {
    panels.forEach(panel => panel.stop());
    panels = [];
    const current = session();
    if (current) {
        showPanels(current);
    } else {
        showLogin();
    }
}

function showPanels(current) {
    const refresh = () => panels.forEach(panel => panel.refresh());
    panels = [
        may(current, 'kpi') ? kpiPanel() : null,
        ncPanel(current, refresh),
        supplierPanel(current, refresh),
        may(current, 'audit') ? auditPanel() : null,
    ].filter(panel => panel !== null);
    corner.replaceChildren(h('div', {class: 'session'}, h('span', {}, 'Signed in as ', h('b', {id: 'user'}, current.user)),
        h('button', {id: 'sign-out', onclick: () => { logout(); show(); }}, 'Sign out')));
    main.replaceChildren(...panels.map(panel => panel.start()));
}

function showLogin() {
    const user = h('input', {name: 'username', required: true, autocomplete: 'username'});
    const password = h('input', {name: 'password', type: 'password', required: true, autocomplete: 'current-password'});
    const enter = async (name, secret) => {
        try {
            await login(name, secret);
            show();
        } catch (error) {
            notify(error.message, true);
        }
    };
    corner.replaceChildren();
    main.replaceChildren(h('section', {id: 'login', class: 'login', 'aria-label': 'Sign in'}, h('div', {class: 'head'}, h('h2', {}, 'Sign in')),
        h('form', {onsubmit: event => { event.preventDefault(); enter(user.value, password.value); }},
            field('User', user, true), field('Password', password, true), h('button', {class: 'main'}, 'Sign in')),
        h('p', {}, 'The users of this demonstration; each has its name as its password:'),
        h('div', {class: 'users'}, ['quality', 'procurement', 'auditor', 'admin'].map(name => h('button', {'data-user': name, onclick: () => enter(name, name)}, name)))));
}

main.addEventListener('signedout', () => {
    if (session()) {
        logout();
        notify('Your session has ended. Sign in again.', true);
    }
    show();
});
show();
