import assert from 'node:assert/strict';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { readEnvelope, recordId } from '../src/envelope.js';
import { PoisonError } from '../src/errors.js';
import { toCents, toDecimal } from '../src/money.js';
import { sign, verify } from '../src/stripe.js';
import { Tokens } from '../src/tokens.js';
import { KIND, readContext, Tracer, writeContext } from '../src/trace.js';
import { toMessage } from '../src/outboxWorker.js';
import { TOPICS } from '../src/consumer.js';
import { contracts } from './support/support.js';

const UUID = '3f1b8a52-8d1c-4f7b-9f35-2f3a1a0a5b11';
const validate = contracts();
const SAMPLES = {
  'payment.intent.requested.v1': { orderId: UUID, amount: 1.5, currency: 'EUR', userId: 'u' },
  'order.order.cancelled.v1': { orderId: UUID, reason: 'changed my mind', cancelledAt: '2026-01-01T00:00:00Z' },
  'order.order.expired.v1': { orderId: UUID, expiredAt: '2026-01-01T00:00:00Z' },
};

test('every consumed event of a contract can be read, with unknown fields', () => {
  for (const topic of TOPICS) {
    const message = {
      eventId: UUID,
      timestamp: '2026-01-01T00:00:00.123Z',
      eventType: topic,
      version: 1,
      source: 'order-service',
      data: { ...SAMPLES[topic], later: [1] },
      metadata: { traceId: UUID, correlationId: UUID, tenant: 'x' },
      unknown: true,
    };
    assert.deepEqual(validate(topic, message), []);
    const event = readEnvelope(topic, { value: Buffer.from(JSON.stringify(message)), headers: { 'saga-id': Buffer.from('7') } });
    assert.equal(event.id, UUID);
    assert.deepEqual(event.data, message.data);
    assert.deepEqual(event.headers, { 'saga-id': '7' });
  }
});

test('a record that is no event is poison', () => {
  for (const value of ['', '{', '[]', 'null', '{}', '{"eventId":"x","data":{}}', `{"eventId":"${UUID}"}`, Buffer.from([0xff])]) {
    assert.throws(() => readEnvelope('t', { value: Buffer.from(value) }), PoisonError);
  }
  assert.throws(() => readEnvelope('t', { value: null }), PoisonError);
  assert.match(recordId('t', 0, '7'), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab]/);
  assert.equal(recordId('t', 0, '7'), recordId('t', 0, '7'));
});

test('names with NUL characters can be stored', () => {
  const message = { eventId: UUID, eventType: 'a\0b', source: 'c\0d', data: {}, metadata: { correlationId: 'e\0f', traceId: 7 } };
  const event = readEnvelope('t', { value: Buffer.from(JSON.stringify(message)) });
  assert.doesNotMatch([event.type, event.source, event.correlationId, event.traceId].join(), /\0/);
});

test('a dead letter has no envelope and matches its contract', () => {
  const body = { eventId: UUID, originalEvent: '{', errorMessage: 'no', failedAt: '2026-01-01T00:00:00Z', consumerService: 'payment-service' };
  const row = { id: UUID, aggregate_id: 'k', event_type: 'x.dlt', payload: JSON.stringify(body), headers: { envelope: 'none' }, created_at: new Date() };
  const message = toMessage(row, 'payment-service');
  assert.deepEqual(validate('dead-letter', JSON.parse(message.value)), []);
  assert.equal(message.headers.envelope, undefined);
});

test('amounts are exact', () => {
  assert.equal(toCents(0.1), 10n);
  assert.equal(toCents('19.90'), 1990n);
  assert.equal(toCents(1.005), null);
  assert.equal(toDecimal(5n), '0.05');
});

test('a signature is valid for its body, its secret and five minutes', () => {
  const body = Buffer.from('{"id":"evt_1"}');
  assert.ok(verify(body, sign(body, 'secret', 1000), 'secret', 1299));
  assert.ok(!verify(body, sign(body, 'secret', 1000), 'secret', 1301));
  assert.ok(!verify(body, sign(body, 'other', 1000), 'secret', 1000));
  assert.ok(!verify(Buffer.from('{}'), sign(body, 'secret', 1000), 'secret', 1000));
  for (const header of [undefined, '', 't=1000', 'v1=00', 't=x,v1=00', 't=1000,v1=zz', 't=1000,v0=' + '0'.repeat(64)]) assert.ok(!verify(body, header, 'secret', 1000));
  assert.ok(verify(body, `t=1000,v1=${'0'.repeat(64)},v1=${sign(body, 'secret', 1000).split('v1=')[1]}`, 'secret', 1000));
});

test('only tokens of the auth service are accepted', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const server = createServer((_, response) => response.end(JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' }] })));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tokens = new Tokens(`http://127.0.0.1:${server.address().port}/`);
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const valid = { iss: 'polyshop-auth', aud: 'polyshop-public', sub: 'u1', roles: ['USER'], exp: now + 60 };
  const token = (claims = {}, header = {}, key = privateKey) => {
    const text = `${encode({ alg: 'RS256', kid: 'k1', ...header })}.${encode({ ...valid, ...claims })}`;
    return `Bearer ${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`;
  };
  try {
    assert.deepEqual(await tokens.check(token()), { userId: 'u1', roles: ['USER'] });
    const forged = [
      undefined,
      'Bearer x',
      token({ exp: now - 60 }),
      token({ exp: undefined }),
      token({ nbf: now + 3600 }),
      token({ iss: 'somebody' }),
      token({ aud: 'other' }),
      token({ sub: '' }),
      token({}, {}, other.privateKey),
      token({}, { kid: 'unknown' }),
      token({}, { alg: 'none' }),
      token({}, { alg: 'HS256' }),
      token().slice(0, -4),
      token().replace(/\.[^.]*$/, '.'),
    ];
    for (const authorization of forged) await assert.rejects(tokens.check(authorization), (error) => error.status === 401);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('the trace context survives a round trip, and malformed ones are ignored', () => {
  const headers = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'a=b' };
  assert.deepEqual(writeContext(readContext(headers)), headers);
  for (const traceparent of ['', '00-x', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01']) assert.equal(readContext({ traceparent }), null);
});

test('spans are exported with their parents, unless they are not sampled', async () => {
  const bodies = [];
  const fetcher = async (url, options) => {
    bodies.push([url, JSON.parse(options.body)]);
    return new Response('{}');
  };
  const tracer = new Tracer('http://collector:4318/', 'payment-service', fetcher);
  const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', flags: '01' };
  await tracer.run('process', KIND.CONSUMER, parent, { a: 1 }, async () => {});
  tracer.start('unsampled', KIND.CONSUMER, { ...parent, flags: '00' }).end();
  await tracer.flush();
  assert.equal(bodies.length, 1);
  assert.equal(bodies[0][0], 'http://collector:4318/v1/traces');
  const spans = bodies[0][1].resourceSpans[0].scopeSpans[0].spans;
  assert.deepEqual(spans.map((span) => [span.name, span.traceId, span.parentSpanId]), [['process', parent.traceId, parent.spanId]]);
  assert.ok(BigInt(spans[0].endTimeUnixNano) >= BigInt(spans[0].startTimeUnixNano));
});
