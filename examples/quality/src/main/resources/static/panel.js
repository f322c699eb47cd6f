import {ApiError} from './api.js';
import {h} from './dom.js';

// A section of the page that reads something again and again, and shows it when it has changed.
export class Panel {
    constructor({id, title, wide = false, controls = [], form = null, load, show, every = 2000}) {
        this.content = h('div', {class: 'content'}, h('p', {}, 'Loading …'));
        this.section = h('section', {id, class: wide ? 'wide' : '', 'aria-label': title},
            h('div', {class: 'head'}, h('h2', {}, title), ...controls), form, this.content);
        Object.assign(this, {load, show, every, shown: null, stopped: false});
    }

    start() {
        this.refresh();
        return this.section;
    }

    stop() {
        this.stopped = true;
        clearTimeout(this.timer);
    }

    // One request at a time: a slow service gets no more of them.
    async refresh() {
        clearTimeout(this.timer);
        const turn = this.turn = {};
        try {
            const data = await this.load();
            if (turn === this.turn && !this.stopped) {
                this.draw(data);
            }
        } catch (error) {
            this.fail(error);
        }
        if (turn === this.turn && !this.stopped) {
            this.timer = setTimeout(() => this.refresh(), document.hidden ? 10 * this.every : this.every);
        }
    }

    draw(data) {
        const text = JSON.stringify(data);
        if (text !== this.shown) {
            const scrolled = this.content.querySelector('.scroll')?.scrollTop ?? 0;
            this.content.replaceChildren(...[this.show(data)].flat());
            this.content.querySelector('.scroll')?.scrollTo(0, scrolled);
            this.shown = text;
        }
    }

    fail(error) {
        if (error instanceof ApiError && error.status === 401) {
            this.section.dispatchEvent(new CustomEvent('signedout', {bubbles: true}));
        } else if (!this.stopped) {
            this.content.replaceChildren(h('p', {class: 'notice error'}, error.message));
            this.shown = null;
        }
    }
}
