// The shell: navigation, search, shortcuts, theme and time zone. Pages are modules; none is loaded before it is shown.
import { html, render, useEffect, useErrorBoundary, useRef, useState } from './lib/dom.js';
import { useCell } from './lib/hooks.js';
import { api, outbox, session } from './lib/api.js';
import { follow, isPausedByUser, live, togglePause } from './lib/live.js';
import { route, link, go } from './lib/router.js';
import { stored, store } from './lib/settings.js';
import { count, visible, zone } from './lib/format.js';
import { Badge, Loading, Problem } from './ui/basics.js';
import { Dialogs, openDialog } from './ui/dialogs.js';
import { icons } from './ui/icons.js';
import { SignIn } from './pages/signin.js';

const PAGES = [
  { name: 'overview', title: 'Overview', key: 'o', count: o => o.reasons.filter(r => r.severity === 'error').length, tone: 'bad' },
  { name: 'events', title: 'Events', key: 'e' },
  { name: 'failures', title: 'Failures', key: 'f', count: o => o.deadLetters + o.retrying, tone: 'bad' },
  { name: 'keys', title: 'Blocked keys', key: 'k', count: o => o.blockedKeys, tone: 'warn' },
  { name: 'inbox', title: 'Inbox', key: 'i', count: o => o.inbox.reduce((sum, g) => sum + g.deadLetters, 0), tone: 'bad' },
  { name: 'sagas', title: 'Sagas', key: 's', count: o => o.sagas?.stuck ?? 0, tone: 'bad' },
  { name: 'relays', title: 'Relays & pauses', key: 'r', count: o => o.pauses.length, tone: 'warn' },
  { name: 'operations', title: 'Operations', key: 'b' },
  { name: 'audit', title: 'Audit', key: 'a' },
  { name: 'settings', title: 'Settings', key: 'p' },
];
// Pages that no menu entry opens, and the entry that they belong to.
const PARTS = { event: 'events', key: 'keys', saga: 'sagas', operation: 'operations', deadletter: 'inbox' };

function useTheme() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const [theme, setTheme] = useState(stored('theme', '') || (system.matches ? 'dark' : 'light'));
  useEffect(() => { document.documentElement.dataset.theme = theme; }, [theme]);
  return [theme, () => {
    const next = theme === 'dark' ? 'light' : 'dark';
    store('theme', next);
    setTheme(next);
  }];
}

const STATES = {
  live: { tone: 'good', text: 'live', tip: 'The page is updated once a second.' },
  polling: { tone: 'warn', text: 'polling', tip: 'The live stream does not work here, perhaps because of a proxy. The page is updated every 5 seconds.' },
  paused: { tone: 'plain', text: 'paused', tip: 'Updates are paused. Press P to resume.' },
  connecting: { tone: 'info', text: 'connecting', tip: 'The page connects to the server.' },
  lost: { tone: 'bad', text: 'no connection', tip: 'The numbers are old: the server or its database does not answer.' },
};

function LiveState() {
  const { state } = useCell(live);
  const shown = STATES[state];
  return html`<span data-tip=${shown.tip}><${Badge} tone=${shown.tone}>${shown.text}<//></span>
    <button type="button" class="plain icon" aria-label=${isPausedByUser() ? 'Resume updates' : 'Pause updates'} title="P" onClick=${togglePause}>${isPausedByUser() ? icons.play() : icons.pause()}</button>`;
}

function Find({ input }) {
  const [text, setText] = useState('');
  const find = event => {
    event.preventDefault();
    const wanted = text.trim();
    if (!wanted) return;
    const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(wanted);
    go(uuid ? link('find', wanted) : link('key', wanted));
    setText('');
    input.current.blur();
  };
  return html`<form class="find" role="search" onSubmit=${find}>
    <input ref=${input} type="search" aria-label="Find a business key or an id" placeholder="Find a key or an id" value=${text} onInput=${e => setText(e.target.value)} maxlength="1000" autocomplete="off" />
    <kbd>/</kbd></form>`;
}

function Outboxes() {
  const name = useCell(outbox);
  const [all, setAll] = useState([]);
  useEffect(() => {
    api.outboxes().then(found => {
      setAll(found.items);
      if (found.items.length && !found.items.some(o => o.name === outbox.get())) outbox.set(found.items[0].name);
    }, () => {});
  }, []);
  if (all.length < 2) return '';
  return html`<select aria-label="Outbox" value=${name} onChange=${e => outbox.set(e.target.value)}>${all.map(o => html`<option value=${o.name}>${visible(o.name)}</option>`)}</select>`;
}

function Side({ current, open, close }) {
  const { overview } = useCell(live);
  const who = useCell(session);
  return html`<aside class=${'side' + (open ? ' open' : '')}>
    <a class="brand" href="#/overview">${icons.brand()} Waybill</a>
    <${Outboxes} />
    <nav aria-label="Pages" onClick=${close}>${PAGES.map(page => {
      const number = overview && page.count ? page.count(overview) : 0;
      return html`<a href=${link(page.name)} aria-current=${current === page.name ? 'page' : undefined}><span class="label">${page.title}</span>
        ${number > 0 && html`<span class=${'count ' + page.tone}>${count(number)}</span>`}</a>`;
    })}</nav>
    <div class="foot">
      <span>${visible(who.instance)}${who.readOnly ? ' · read-only' : ''}</span>
      <span>${who.user ? html`${visible(who.user)} · ${who.role}` : html`no sign-in · ${who.role}`}</span>
      <span>Waybill ${who.version}</span>
      ${who.user && who.signIn === 'password' && html`<button type="button" class="link" onClick=${signOut}>Sign out</button>`}
    </div>
  </aside>`;
}

async function signOut() {
  await api.signOut().catch(() => {});
  session.set(await api.session().catch(() => ({ ...session.get(), user: null, role: null, permissions: [] })));
}

const SHORTCUTS = [
  ['/', 'Find a business key or an id'], ['g then a letter', 'Go to a page: ' + PAGES.map(p => `${p.key} ${p.title}`).join(', ')],
  ['j k', 'Next and previous row'], ['Enter', 'Open the row'], ['n', 'Jump to the filter'], ['p', 'Pause and resume live updates'],
  ['t', 'Dark or light'], ['z', 'Local time or UTC'], ['?', 'This help'], ['Esc', 'Close'],
];

function help() {
  openDialog(close => html`<div class="body"><h2>Keyboard</h2>
    <table><tbody>${SHORTCUTS.map(([keys, text]) => html`<tr><td class="nowrap"><kbd>${keys}</kbd></td><td>${text}</td></tr>`)}</tbody></table>
    <div class="buttons"><button type="button" data-focus onClick=${close}>Close</button></div></div>`, { label: 'Keyboard' });
}

/** Moves the focus to the next or previous first link of a table row. */
function moveRow(step) {
  const links = [...document.querySelectorAll('main tbody tr')].map(row => row.querySelector('a, button')).filter(Boolean);
  if (!links.length) return;
  const at = links.indexOf(document.activeElement);
  links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))].focus();
}

function useShortcuts(actions) {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    let going = 0;
    const press = event => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) {
        if (event.key === 'Escape') event.target.blur();
        return;
      }
      if (Date.now() - going < 1_500) {
        going = 0;
        const page = PAGES.find(p => p.key === event.key);
        if (page) {
          event.preventDefault();
          go(link(page.name));
        }
        return;
      }
      if (event.key === 'g') going = Date.now();
      const action = latest.current[event.key];
      if (action) {
        event.preventDefault();
        action();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** Loads the module of a page when it is shown for the first time. */
function Page({ at }) {
  const [loaded, setLoaded] = useState({});
  const [failure, reset] = useErrorBoundary(error => console.error(error));
  const name = PARTS[at.page] || at.page === 'find' || PAGES.some(p => p.name === at.page) ? at.page : 'missing';
  useEffect(() => {
    let ended = false;
    reset();
    import(`./pages/${name}.js`).then(
      module => { if (!ended) setLoaded({ name, Content: module.default }); },
      error => { if (!ended) setLoaded({ name, error }); });
    return () => { ended = true; };
  }, [name]);
  if (failure) {
    return html`<${Problem} retry=${reset} error=${{ message: 'This page failed: ' + failure.message, remedy: 'The other pages still work. Please report this with the text above.' }} />`;
  }
  if (loaded.error) return html`<${Problem} error=${{ message: 'A file of the console could not be loaded.', remedy: 'Reload the page. The server may have been updated.' }} />`;
  if (loaded.name !== name) return html`<${Loading} />`;
  return html`<${loaded.Content} ...${at} key=${at.page + '/' + at.parts.join('/')} />`;
}

function Shell() {
  const at = useCell(route);
  useCell(outbox);
  const [theme, toggleTheme] = useTheme();
  const zoned = useCell(zone);
  const [open, setOpen] = useState(false);
  const find = useRef(null);
  const main = useRef(null);
  const current = PARTS[at.page] ?? at.page;
  const title = PAGES.find(p => p.name === current)?.title ?? 'Not found';
  const toggleZone = () => zone.set(zone.get() === 'utc' ? 'local' : 'utc');
  useEffect(() => {
    document.title = `${title}${at.parts[0] ? ' ' + visible(at.parts[0]).slice(0, 60) : ''} · ${session.get().instance || 'Waybill'}`;
    setOpen(false);
    scrollTo(0, 0);
  }, [at.page, at.parts.join('/')]);
  useShortcuts({
    '/': () => find.current.focus(), '?': help, j: () => moveRow(1), k: () => moveRow(-1), t: toggleTheme, z: toggleZone, p: togglePause,
    n: () => document.querySelector('main .filter input')?.focus(), Escape: () => setOpen(false),
  });
  return html`<div class="shell">
    <${Side} current=${current} open=${open} close=${() => setOpen(false)} />
    <div class="main">
      <header class="top">
        <button type="button" class="plain icon menu-button" aria-label="Menu" aria-expanded=${open ? 'true' : 'false'} onClick=${() => setOpen(!open)}>${icons.menu()}</button>
        <${Find} input=${find} />
        <div class="tools">
          <${LiveState} />
          <button type="button" class="plain" aria-label=${`Time zone: ${zoned}. Change it.`} title="Z" onClick=${toggleZone}>${zoned === 'utc' ? 'UTC' : 'Local'}</button>
          <button type="button" class="plain icon" aria-label=${theme === 'dark' ? 'Light colours' : 'Dark colours'} title="T" onClick=${toggleTheme}>${theme === 'dark' ? icons.sun() : icons.moon()}</button>
          <button type="button" class="plain icon wide-only" aria-label="Keyboard shortcuts" title="?" onClick=${help}>${icons.help()}</button>
        </div>
      </header>
      <main class="content" ref=${main}><${Page} key=${outbox.get()} at=${at} /></main>
    </div>
  </div>`;
}

function Root() {
  const who = useCell(session);
  const [error, setError] = useState(null);
  const load = () => {
    setError(null);
    api.session().then(session.set, setError);
  };
  useEffect(load, []);
  useTheme();
  let content;
  if (error) content = html`<div class="content"><${Problem} error=${error} retry=${load} /></div>`;
  else if (!who) content = html`<${Loading} />`;
  else if (!who.permissions.includes('view')) content = html`<${SignIn} />`;
  else content = html`<${Shell} />`;
  return html`${content}<${Dialogs} />`;
}

render(html`<${Root} />`, document.getElementById('console'));
follow();
