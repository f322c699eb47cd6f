/** Creates elements. Text is always set as text, never as markup: names and messages come from outside. */

export function element(tag, properties = {}, ...children) {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'class') created.className = value;
    else if (name === 'on') for (const [type, listener] of Object.entries(value)) created.addEventListener(type, listener);
    else if (name === 'data') Object.assign(created.dataset, value);
    else if (name in created) created[name] = value;
    else created.setAttribute(name, value);
  }
  created.append(...children.filter((child) => child !== null && child !== undefined));
  return created;
}

export function icon(path) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

export const byId = (id) => document.getElementById(id);

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function time(text) {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? '' : at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
}

export function short(id) {
  const text = String(id ?? '');
  return text.length > 8 ? text.slice(0, 8) : text;
}

export function money(amount, currency) {
  if (typeof amount !== 'number') return '';
  try {
    return new Intl.NumberFormat([], { style: 'currency', currency }).format(amount);
  } catch {
    return `${amount} ${String(currency ?? '')}`;
  }
}
