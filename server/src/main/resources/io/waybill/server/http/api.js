// Renders /api/v1/openapi.json. Text is only ever set as text.

const element = (name, text = '', attributes = {}) => {
  const node = document.createElement(name);
  node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};

const nameOf = (reference) => reference.split('/').pop();

/** Describes a schema in one line, with links to named types. */
function describe(schema) {
  const line = element('span');
  if (schema.$ref) {
    line.append(element('a', nameOf(schema.$ref), { href: `#type-${nameOf(schema.$ref)}` }));
  } else if (schema.oneOf) {
    schema.oneOf.forEach((part, index) => {
      if (index > 0) line.append(' or ');
      line.append(describe(part));
    });
  } else if (schema.type === 'array') {
    line.append('list of ', describe(schema.items));
  } else {
    const type = [].concat(schema.type ?? 'any').join(' or ');
    const values = schema.enum ? `: ${schema.enum.filter((value) => value !== null).join(', ')}` : '';
    line.append(`${type}${schema.format ? ` (${schema.format})` : ''}${values}`);
  }
  return line;
}

function table(head, rows) {
  const result = element('table');
  const first = result.createTHead().insertRow();
  head.forEach((title) => first.append(element('th', title)));
  const body = result.createTBody();
  for (const cells of rows) {
    const row = body.insertRow();
    cells.forEach((cell) => row.insertCell().append(cell));
  }
  return result;
}

function fields(schema) {
  const required = new Set(schema.required ?? []);
  return table(
    ['Field', 'Type', 'Meaning'],
    Object.entries(schema.properties ?? {}).map(([name, field]) => [
      element('code', required.has(name) ? name : `${name}?`), describe(field), field.description ?? '']));
}

function route(document_, path, method, operation) {
  const box = element('details');
  box.dataset.search = `${method} ${path} ${operation.summary} ${operation['x-role']}`.toLowerCase();
  const summary = element('summary');
  summary.append(
    element('span', method.toUpperCase(), { class: 'method' }),
    element('span', path, { class: 'path' }),
    element('span', operation['x-role'], { class: 'role' }));
  box.append(summary, element('p', operation.summary));
  if (operation.parameters) {
    box.append(element('h3', 'Parameters'), table(
      ['Name', 'In', 'Type', 'Meaning'],
      operation.parameters.map((parameter) => [
        element('code', parameter.name), parameter.in, describe(parameter.schema), parameter.description ?? ''])));
  }
  if (operation.requestBody) {
    box.append(element('h3', 'Body'), describe(operation.requestBody.content['application/json'].schema));
  }
  box.append(element('h3', 'Responses'), table(
    ['Status', 'Content', 'Meaning'],
    Object.entries(operation.responses).map(([status, reference]) => {
      const response = reference.$ref ? document_.components.responses[nameOf(reference.$ref)] : reference;
      const [media, content] = Object.entries(response.content ?? {})[0] ?? [];
      const what = element('span', media ? `${media} ` : 'nothing');
      if (content) what.append(describe(content.schema));
      return [status, what, response.description];
    })));
  return box;
}

const response = await fetch('/api/v1/openapi.json');
const api = await response.json();
document.getElementById('about').replaceChildren(
  `${api.info.description} `, element('a', 'openapi.json', { href: '/api/v1/openapi.json' }));
const routes = document.getElementById('routes');
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, operation] of Object.entries(methods)) routes.append(route(api, path, method, operation));
}
const types = document.getElementById('types');
for (const [name, schema] of Object.entries(api.components.schemas)) {
  const box = element('details', '', { id: `type-${name}` });
  box.append(element('summary', name), element('p', schema.description ?? ''), fields(schema));
  types.append(box);
}
const open = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView();
  }
};
addEventListener('hashchange', open);
open();
document.getElementById('find').addEventListener('input', (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const box of routes.children) box.hidden = !words.every((word) => box.dataset.search.includes(word));
});
