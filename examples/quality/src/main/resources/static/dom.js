// Elements are built, never parsed: whatever a message contains stays text.
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on')) {
            element.addEventListener(name.slice(2), value);
        } else if (value === true) {
            element.setAttribute(name, '');
        } else if (value !== false && value !== null && value !== undefined) {
            element.setAttribute(name, value);
        }
    }
    element.append(...children.flat().filter(child => child !== null && child !== undefined));
    return element;
}

export function badge(text, kind = '') {
    return h('span', {class: `badge ${kind}`}, text);
}

export function field(label, input, grow = false) {
    return h('label', {class: grow ? 'grow' : ''}, label, input);
}

export function table(headings, rows, empty) {
    if (rows.length === 0) {
        return h('p', {}, empty);
    }
    const head = h('tr', {}, headings.map(text => h('th', {}, text)));
    return h('div', {class: 'scroll'}, h('table', {}, h('thead', {}, head), h('tbody', {}, rows)));
}

export function time(iso) {
    return h('time', {datetime: iso, title: iso}, new Date(iso).toLocaleTimeString());
}

export function notify(text, error = false) {
    const notice = h('p', {class: error ? 'notice error' : 'notice'}, text);
    document.getElementById('notices').append(notice);
    setTimeout(() => notice.remove(), error ? 10_000 : 4_000);
}
