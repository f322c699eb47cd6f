/** The shop's page has no test runner of its own: these tests check its files. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const PAGE = new URL('../../src/main/resources/io/waybill/examples/polyshop/shop/', import.meta.url);
const CONTRACTS = new URL('../../contracts/', import.meta.url);
const read = (name) => readFileSync(new URL(name, PAGE), 'utf8');

/** The page's modules are scripts of a browser; this folder has no package.json that says so. */
const load = (name) => import(`data:text/javascript,${encodeURIComponent(read(name))}`);

test('events fly to the consumers that the contracts name', async () => {
  const { CONSUMERS, SERVICES } = await load('topics.js');
  const { topics } = JSON.parse(readFileSync(new URL('topics.json', CONTRACTS), 'utf8'));
  const expected = Object.fromEntries(topics.map((entry) => [entry.topic, entry.consumers.map((name) => name.replace('-service', '')).sort()]));
  const actual = Object.fromEntries(Object.entries(CONSUMERS).map(([topic, names]) => [topic, [...names].sort()]));
  assert.deepEqual(actual, expected);
  for (const names of Object.values(CONSUMERS)) for (const name of names) assert.ok(SERVICES[name], name);
  for (const { producer } of topics) assert.ok(SERVICES[producer.replace('-service', '')], producer);
});

test('names of topics and services are shortened, also unknown ones', async () => {
  const { serviceName, shortTopic } = await load('topics.js');
  assert.equal(shortTopic('inventory.stock.reservation-failed.v1'), 'stock reservation failed');
  assert.equal(shortTopic('order.order.placed.v1.dlt'), 'order placed †');
  assert.equal(shortTopic('x'), 'x');
  assert.equal(serviceName('payment-service'), 'payment');
  assert.equal(serviceName(undefined), '');
});

test('the page writes text and never markup, and has no inline script or style', () => {
  for (const name of readdirSync(PAGE).filter((file) => file.endsWith('.js'))) {
    assert.doesNotMatch(read(name), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\('style'/, name);
  }
  const html = read('index.html');
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|javascript:/);
  for (const [script] of html.matchAll(/<script[^>]*>/g)) assert.match(script, /src="shop\.js"/);
  assert.match(html, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.doesNotMatch(html + read('shop.css'), /https?:\/\//);
});
