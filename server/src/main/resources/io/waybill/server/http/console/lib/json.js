// Reads JSON without losing anything: numbers keep their digits, objects keep their order and their repeated names.
// JSON.parse would round numbers above 2^53. The parser uses no recursion, so that deep nesting cannot overflow the stack.

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;
const WORDS = { true: 'boolean', false: 'boolean', null: 'null' };

/** Returns a tree of {kind, raw} for values and {kind, items: [{name, value}]} for objects and arrays; null if the text is not JSON. */
export function parseJson(text) {
  let at = 0;
  const match = pattern => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found?.[0];
  };
  const scalar = () => {
    if (text[at] === '"') {
      const raw = match(STRING);
      return raw === undefined ? null : { kind: 'string', raw, text: JSON.parse(raw) };
    }
    for (const word in WORDS) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return { kind: WORDS[word], raw: word };
      }
    }
    const raw = match(NUMBER);
    return raw ? { kind: 'number', raw } : null;
  };
  const open = [];
  let root = null;
  for (;;) {
    match(SPACE);
    const parent = open.at(-1);
    // The end of an object or an array.
    if (parent && (parent.items.length === 0 || parent.closed) && text[at] === (parent.kind === 'object' ? '}' : ']')) {
      at++;
      open.pop();
      if (!open.length) break;
      open.at(-1).closed = true;
      continue;
    }
    if (parent?.closed) {
      if (text[at++] !== ',') return null;
      parent.closed = false;
      match(SPACE);
    }
    let name = null;
    if (parent?.kind === 'object') {
      const raw = match(STRING);
      if (raw === undefined) return null;
      name = JSON.parse(raw);
      match(SPACE);
      if (text[at++] !== ':') return null;
      match(SPACE);
    }
    const c = text[at];
    let value;
    if (c === '{' || c === '[') {
      at++;
      value = { kind: c === '{' ? 'object' : 'array', items: [], closed: false };
    } else {
      value = scalar();
      if (!value) return null;
    }
    if (parent) parent.items.push({ name: name ?? parent.items.length, value });
    else root = value;
    if (value.items) {
      open.push(value);
    } else if (parent) {
      parent.closed = true;
    } else {
      break;
    }
  }
  match(SPACE);
  return at === text.length ? root : null;
}

/** The text with line breaks and indentation; each value is written exactly as it was. Stops indenting at a depth of 60. */
export function pretty(root) {
  const out = [];
  const pad = depth => '\n' + '  '.repeat(Math.min(depth, 60));
  const todo = [{ value: root, depth: 0, next: 0 }];
  while (todo.length) {
    const frame = todo.at(-1);
    const { value, depth } = frame;
    if (!value.items) {
      out.push(value.raw);
      todo.pop();
      continue;
    }
    const [opening, closing] = value.kind === 'object' ? '{}' : '[]';
    if (frame.next === 0) out.push(opening);
    if (frame.next === value.items.length) {
      if (value.items.length) out.push(pad(depth));
      out.push(closing);
      todo.pop();
      continue;
    }
    const item = value.items[frame.next++];
    if (frame.next > 1) out.push(',');
    out.push(pad(depth + 1));
    if (value.kind === 'object') out.push(JSON.stringify(item.name), ': ');
    todo.push({ value: item.value, depth: depth + 1, next: 0 });
  }
  return out.join('');
}
