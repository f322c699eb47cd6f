import { html } from '../lib/dom.js';

const icon = path => html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${path} /></svg>`;

export const icons = {
  brand: () => html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 2.5h16v16.8l-2.7 2.2-2.65-2.2L12 21.5l-2.65-2.2-2.65 2.2L4 19.3z" fill="var(--accent)" /><path d="M8 7.5h8M8 11.5h8M8 15.5h4.5" stroke="var(--surface)" stroke-width="1.8" stroke-linecap="round" /></svg>`,
  menu: () => icon('M4 6h16M4 12h16M4 18h16'),
  sun: () => icon('M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4'),
  moon: () => icon('M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z'),
  pause: () => icon('M8 5v14M16 5v14'),
  play: () => icon('M7 4.5l12 7.5-12 7.5z'),
  help: () => icon('M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18v.01'),
  close: () => icon('M6 6l12 12M18 6L6 18'),
  check: () => icon('M4.5 12.5l5 5L19.5 7'),
  alert: () => icon('M12 4L2.5 20h19zM12 10v4.5M12 17.5v.01'),
  stop: () => icon('M8 3h8l5 5v8l-5 5H8l-5-5V8zM12 8v5M12 16.5v.01'),
};
