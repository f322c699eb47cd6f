// The filter bar's language: words of the form name:value, age>5m, age<1h. A word without a name is a key.

export const STATES = {
  pending: 'PENDING', claimed: 'CLAIMED', parked: 'PARKED', 'dead-letter': 'DEAD_LETTER', published: 'PUBLISHED', discarded: 'DISCARDED',
};
const ALIASES = { dead: 'dead-letter', dead_letter: 'dead-letter', inflight: 'claimed', 'in-flight': 'claimed', sent: 'published' };
export const NAMES = ['state', 'type', 'key', 'topic', 'error', 'trace'];
const AGE = /^age([<>])(.+)$/;
const DURATION = /^(\d{1,6})(ms|s|m|min|h|d)$/;
const WORD = /(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g;

const unquote = text => text.replace(/"((?:[^"\\]|\\.)*)"?/g, (_, inner) => inner.replace(/\\(.)/g, '$1'));
const quote = text => /[\s"]/.test(text) || text === '' ? '"' + text.replace(/["\\]/g, '\\$&') + '"' : text;

/** Returns {parameters, problems}: the parameters of GET /events, and a sentence for each word that is wrong. */
export function parseFilter(text) {
  const parameters = {};
  const problems = [];
  for (const word of text.match(WORD) ?? []) {
    const aged = AGE.exec(word);
    const colon = word.indexOf(':');
    const name = word.slice(0, colon);
    if (aged) {
      const duration = DURATION.exec(aged[2]);
      if (duration) parameters[aged[1] === '>' ? 'olderThan' : 'youngerThan'] = duration[1] + duration[2].replace('min', 'm');
      else problems.push(`“${aged[2]}” is no age. Write a number and a unit, for example age>5m (ms, s, m, h or d).`);
    } else if (colon > 0 && name === 'state') {
      const states = unquote(word.slice(colon + 1)).toLowerCase().split(',').filter(Boolean).map(s => ALIASES[s] ?? s);
      const wrong = states.find(s => !STATES[s]);
      if (wrong !== undefined) problems.push(`“${wrong}” is no state. The states are ${Object.keys(STATES).join(', ')}.`);
      else parameters.state = states.map(s => STATES[s]).join(',');
    } else if (colon > 0 && NAMES.includes(name)) {
      parameters[name] = unquote(word.slice(colon + 1));
    } else if (colon > 0 && /^[a-z.]+$/i.test(name)) {
      problems.push(`There is no filter “${name}:”. The filters are ${NAMES.map(n => n + ':').join(' ')} age> age<. Put a key that contains a colon into quotes, as in key:"${unquote(word)}".`);
    } else {
      parameters.key = unquote(word);
    }
  }
  return { parameters, problems };
}

export const term = (name, value) => `${name}:${quote(String(value))}`;

/** Completions for the word at the end of the text, as {text, hint}. */
export function complete(text, known = {}) {
  const words = text.match(WORD) ?? [];
  const last = /\s$/.test(text) || !words.length ? '' : words.at(-1);
  const head = text.slice(0, text.length - last.length);
  const colon = last.indexOf(':');
  const option = (value, hint = '') => ({ text: head + value, label: value, hint });
  if (colon < 0) {
    return [...NAMES.map(name => option(name + ':', HINTS[name])), option('age>', 'at least this old, such as age>5m'), option('age<', 'at most this old')]
      .filter(o => o.label.startsWith(last.toLowerCase()));
  }
  const name = last.slice(0, colon);
  const value = last.slice(colon + 1).toLowerCase();
  const before = name === 'state' && value.includes(',') ? value.slice(0, value.lastIndexOf(',') + 1) : '';
  const choices = name === 'state' ? Object.keys(STATES).map(s => before + s) : (known[name] ?? []).map(quote);
  return choices.filter(c => c.toLowerCase().startsWith(value) && c.toLowerCase() !== value).slice(0, 8).map(c => option(`${name}:${c}`));
}

const HINTS = {
  state: 'one or several, as in state:parked,dead-letter',
  type: 'exact, or a prefix as in type:order.*',
  key: 'the business key, exact',
  topic: 'exact',
  error: 'part of the error text',
  trace: 'a trace id',
};
