// Numbers, ages, times and text, as the console shows them.
import { cell } from './dom.js';
import { stored, store } from './settings.js';

/** 'local' or 'utc'. */
export const zone = cell(stored('zone', 'local'));
zone.subscribe(value => store('zone', value));

export const count = n => n === null || n === undefined ? '–' : Number(n).toLocaleString('en');
export const atLeast = (n, more) => count(n) + (more ? '+' : '');
export const rate = n => n === null || n === undefined ? '–' : Number(n).toLocaleString('en', { maximumFractionDigits: n < 100 ? 1 : 0 }) + '/s';
export const plural = (n, one, many = one + 's') => `${count(n)} ${Number(n) === 1 ? one : many}`;

export function age(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  const s = Number(seconds);
  if (s < 0.0005) return '0 s';
  if (s < 1) return Math.round(s * 1000) + ' ms';
  if (s < 10) return s.toFixed(1) + ' s';
  if (s < 120) return Math.floor(s) + ' s';
  if (s < 7_200) return Math.floor(s / 60) + ' min';
  if (s < 172_800) return Math.floor(s / 3600) + ' h';
  return Math.floor(s / 86_400) + ' d';
}

export function bytes(n) {
  if (n === null || n === undefined) return '–';
  if (n < 1_024) return n + ' B';
  if (n < 1_048_576) return (n / 1_024).toFixed(1) + ' kB';
  return (n / 1_048_576).toFixed(1) + ' MB';
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = n => String(n).padStart(2, '0');

/** The time of day, with the date unless it is today. */
export function time(iso, { full = false } = {}) {
  const at = new Date(iso);
  if (!iso || Number.isNaN(at.getTime())) return '–';
  const utc = zone.get() === 'utc';
  const part = name => utc ? at['getUTC' + name]() : at['get' + name]();
  const now = new Date();
  const today = utc ? now.toISOString().slice(0, 10) === at.toISOString().slice(0, 10) : now.toDateString() === at.toDateString();
  const clock = `${two(part('Hours'))}:${two(part('Minutes'))}:${two(part('Seconds'))}`;
  const date = `${part('FullYear')}-${two(part('Month') + 1)}-${two(part('Date'))}`;
  if (full) return `${date} ${clock}.${String(part('Milliseconds')).padStart(3, '0')} ${utc ? 'UTC' : offset(at)}`;
  if (today) return clock;
  return part('FullYear') === now.getFullYear() ? `${MONTHS[part('Month')]} ${part('Date')}, ${clock}` : `${date} ${clock}`;
}

function offset(at) {
  const minutes = -at.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

// Control characters, and characters that reorder or hide text.
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const escaped = c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0');

/** Text from messages and the database, with an escape instead of each character that cannot be seen. */
export const visible = text => String(text ?? '').replace(INVISIBLE, escaped);

/** As visible, on one line. */
export const oneLine = text => visible(text).replace(/[\t\n]+/g, ' ');

export const shortId = id => String(id ?? '').length > 13 ? String(id).slice(0, 8) + '…' : String(id ?? '');
