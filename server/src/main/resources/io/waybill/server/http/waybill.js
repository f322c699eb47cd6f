'use strict';
// Text from events and the database is set as text, never as markup.
(() => {
  const at = id => document.getElementById(id);
  const number = n => Number(n).toLocaleString('en');
  const age = s => s < 1 ? Math.round(s * 1000) + ' ms' : s < 60 ? Math.floor(s) + ' s'
    : s < 3600 ? Math.floor(s / 60) + ' min' : s < 86400 ? Math.floor(s / 3600) + ' h' : Math.floor(s / 86400) + ' d';
  const element = (name, text, tone) => {
    const e = document.createElement(name);
    e.textContent = text;
    if (tone) e.className = tone;
    return e;
  };
  const fact = (id, text, tone) => { at(id).textContent = text; at(id).className = tone || ''; };
  const verdict = (text, tone) => { at('verdict').textContent = text; at('verdict').className = 'verdict ' + tone; };

  // Outboxes with names are listed; a link opens the page of one of them.
  const chosen = new URLSearchParams(location.search).get('outbox');
  const query = chosen === null ? '' : '?outbox=' + encodeURIComponent(chosen);
  if (chosen !== null) {
    at('outbox').hidden = false;
    at('outbox-name').textContent = chosen;
  }

  function showAll(all, ready) {
    at('all').hidden = false;
    at('one').hidden = true;
    const failing = Object.entries(ready.outboxes).filter(([, o]) => !o.ready).map(([name]) => name);
    const dead = all.some(o => o.deadLetters);
    verdict((failing.length ? failing.join(', ') + ' not ready' : 'events of all outboxes are being delivered')
      + (dead ? '; dead letters need a decision' : ''), failing.length ? 'bad' : dead ? 'warn' : 'good');
    at('outboxes').replaceChildren(...all.map(o => {
      const row = document.createElement('tr');
      const name = document.createElement('td');
      const link = element('a', o.outbox);
      link.href = '/?outbox=' + encodeURIComponent(o.outbox);
      name.append(link);
      const checks = Object.values(ready.outboxes[o.outbox].checks);
      const problem = checks.filter(c => !c.ok).map(c => c.detail).join('; ');
      row.append(name, element('td', problem || 'ready', problem ? 'bad' : 'good'));
      if (o.error === undefined) {
        row.append(element('td', number(o.pending)), element('td', o.pending ? age(o.oldestAgeSeconds) : '–'),
          element('td', o.publishedPerSecond.toFixed(1) + '/s'), element('td', number(o.deadLetters), o.deadLetters ? 'bad' : ''),
          element('td', number(o.liveRelays), o.liveRelays ? '' : 'bad'));
      } else {
        row.append(...Array.from({length: 5}, () => element('td', '–')));
      }
      return row;
    }));
  }

  // Missing when the database has no tables of sagas.
  function showSagas(sagas) {
    at('sagas').hidden = !sagas;
    if (!sagas) return;
    fact('sagas-running', number(sagas.running));
    fact('sagas-compensating', number(sagas.compensating), sagas.compensating ? 'warn' : '');
    fact('sagas-stuck', number(sagas.stuck), sagas.stuck ? 'bad' : '');
    at('sagas-hint').hidden = !sagas.stuck;
    fact('sagas-oldest', sagas.running + sagas.compensating ? age(sagas.oldestAgeSeconds) : '–');
  }

  function showStatus(s) {
    fact('pending', number(s.pending));
    fact('oldest', s.pending ? age(s.oldestAgeSeconds) : '–', s.pending && s.oldestAgeSeconds > 60 ? 'warn' : '');
    fact('rate', s.publishedPerSecond.toFixed(1) + '/s');
    fact('retrying', number(s.retrying), s.retrying ? 'warn' : '');
    fact('parked', number(s.parked), s.parked ? 'warn' : '');
    fact('blocked', number(s.blockedKeys), s.blockedKeys ? 'warn' : '');
    fact('dead', number(s.deadLetters), s.deadLetters ? 'bad' : '');
    at('dead-hint').hidden = !s.deadLetters;
    showSagas(s.sagas);
    at('relays').replaceChildren(...s.relays.map(r => {
      const row = document.createElement('tr');
      row.append(element('td', r.name), element('td', !r.live ? 'gone' : r.serving ? 'live' : 'not serving', !r.live ? '' : r.serving ? 'good' : 'bad'),
        element('td', r.lanes), element('td', number(r.publishedTotal)), element('td', r.live ? r.publishedPerSecond.toFixed(1) + '/s' : '–'),
        element('td', age(r.secondsSinceHeartbeat) + ' ago'), element('td', r.place));
      if (!r.live) row.className = 'soft';
      return row;
    }));
    at('lanes').replaceChildren(...s.lanes.map(l => {
      const lane = element('li', l.lane + (l.owner ? '' : ' free') + (l.waiting ? ' · waiting' : ''),
        l.owner ? '' : 'bad');
      lane.title = l.owner ? l.owner + ', fence ' + l.fence : 'no relay owns this lane';
      return lane;
    }));
    at('warnings').replaceChildren(...s.warnings.map(w => element('li', w, 'warn')));
    at('warnings').hidden = !s.warnings.length;
    at('at').textContent = 'as of ' + new Date(s.at).toLocaleTimeString();
  }

  // Problems that need an operator although all checks pass.
  function concerns(s) {
    const found = [];
    if (s.deadLetters) found.push(number(s.deadLetters) + (s.deadLetters === 1 ? ' dead letter needs' : ' dead letters need') + ' a decision');
    if (s.pending && s.oldestAgeSeconds > 60) found.push('the oldest event has waited for ' + age(s.oldestAgeSeconds));
    if (s.sagas && s.sagas.stuck) found.push(number(s.sagas.stuck) + (s.sagas.stuck === 1 ? ' saga waits' : ' sagas wait') + ' for a person');
    if (s.sagas && s.sagas.timerLagSeconds > 60) found.push('no engine works on the sagas');
    if (s.warnings.length) found.push('see the warnings');
    return found;
  }

  function showChecks(r, s) {
    const failing = Object.entries(r.checks).filter(([, c]) => !c.ok);
    const needs = s ? concerns(s) : [];
    verdict((r.ready ? 'events are being delivered' : failing.map(([name]) => name).join(', ') + ' not ready')
      + needs.map(n => '; ' + n).join(''), !r.ready ? 'bad' : needs.length ? 'warn' : 'good');
    at('checks').replaceChildren(...Object.entries(r.checks).map(([name, c]) => {
      const item = document.createElement('li');
      item.append(element('b', name, c.ok ? 'good' : 'bad'), ' ', element('span', c.detail));
      return item;
    }));
  }

  async function refresh() {
    try {
      const [status, ready] = await Promise.all([fetch('/api/status' + query), fetch('/readyz' + query)]);
      const s = await status.json();
      const r = await ready.json();
      if (r.outboxes) {
        showAll(s.outboxes, r);
      } else if (r.error) {
        verdict(r.error, 'bad');
      } else {
        if (status.ok) showStatus(s);
        showChecks(r, status.ok ? s : null);
      }
    } catch (e) {
      verdict('this server is unreachable', 'bad');
    }
    setTimeout(refresh, 2000);
  }
  refresh();
})();
