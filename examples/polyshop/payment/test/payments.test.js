import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { transaction } from '../src/database.js';
import { PermanentError, RequestError } from '../src/errors.js';
import { PaymentDomainService } from '../src/paymentDomainService.js';
import { command, contracts, freshDatabase, published, webhook } from './support/support.js';

const payments = new PaymentDomainService('http://127.0.0.1:8085');
const validate = contracts();
const TRACE = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'correlation-id': '0d9e4a6e-53c3-4d3c-9f4f-1f2f7a2f1a11' };
let database;

before(async () => (database = await freshDatabase()));
after(() => database.drop());
beforeEach(() => database.pool.query('TRUNCATE payments, refunds, closed_orders, provider_events, outbox_events'));

const request = (input, headers = TRACE) => transaction(database.pool, (client) => payments.requestIntent(client, input, headers));
const close = (orderId) => transaction(database.pool, (client) => payments.closeOrder(client, orderId, 'The order was cancelled.', TRACE));
const receive = (event) => transaction(database.pool, (client) => payments.applyProviderEvent(client, event, () => TRACE));
const stored = async (id) => (await database.pool.query('SELECT * FROM payments WHERE id = $1', [id])).rows[0];
const refund = (id, cents) =>
  transaction(database.pool, async (client) => payments.refund(client, await payments.lockPayment(client, id), cents, 'broken', TRACE));
const types = async () => (await published(database.pool)).map((event) => event.eventType);

/** Every event that a test published must match its contract. */
async function assertContracts() {
  const events = await published(database.pool);
  assert.notEqual(events.length, 0);
  for (const event of events) assert.deepEqual(validate(event.eventType, event), [], event.eventType);
  return events;
}

test('a requested intent waits for the customer', async () => {
  const payment = await request(command());
  assert.equal((await stored(payment.id)).status, 'REQUIRES_ACTION');
  const [created] = await assertContracts();
  assert.equal(created.eventType, 'payment.intent.created.v1');
  assert.equal(created.data.amount, 59.8);
  assert.equal(created.metadata.traceId, '4bf92f3577b34da6a3ce929d0e0e4736');
  assert.equal(created.metadata.correlationId, TRACE['correlation-id']);
});

test('a repeated command gets the same payment again', async () => {
  const input = command();
  const first = await request(input, { ...TRACE, 'saga-command-id': '1' });
  const second = await request(input, { ...TRACE, 'saga-command-id': '1' });
  assert.equal(second.id, first.id);
  const events = await assertContracts();
  assert.deepEqual(events.map((event) => event.data.paymentId), [first.id, first.id]);
});

test('a repeated command with another amount is refused', async () => {
  const input = command();
  await request(input);
  await assert.rejects(request({ ...input, amount: 1 }), PermanentError);
});

test('a webhook settles the payment once', async () => {
  const payment = await request(command());
  const event = webhook(payment);
  assert.equal(await receive(event), 'applied');
  assert.equal(await receive(event), 'duplicate');
  assert.equal(await receive({ ...event, id: 'evt_other' }), 'ignored');
  assert.equal((await stored(payment.id)).status, 'SUCCESS');
  await assertContracts();
  assert.deepEqual(await types(), ['payment.intent.created.v1', 'payment.payment.succeeded.v1']);
});

test('concurrent webhooks settle the payment once', async () => {
  const payment = await request(command());
  const event = webhook(payment);
  const outcomes = await Promise.all([receive(event), receive(event), receive(event), receive(webhook(payment))]);
  assert.equal(outcomes.filter((outcome) => outcome === 'applied').length, 1);
  assert.equal((await types()).filter((type) => type === 'payment.payment.succeeded.v1').length, 1);
});

test('a refused payment fails', async () => {
  const payment = await request(command());
  await receive(webhook(payment, 'payment_intent.payment_failed', { last_payment_error: { message: 'declined' } }));
  const failed = await stored(payment.id);
  assert.equal(failed.status, 'FAILED');
  const events = await assertContracts();
  assert.equal(events.at(-1).data.failureReason, 'declined');
});

test('a webhook about another amount changes nothing', async () => {
  const payment = await request(command());
  await assert.rejects(receive(webhook(payment, 'payment_intent.succeeded', { amount_received: 1 })), RequestError);
  assert.equal((await stored(payment.id)).status, 'REQUIRES_ACTION');
});

test('a closed order ends its payment', async () => {
  const payment = await request(command());
  await close(payment.order_id);
  assert.equal((await stored(payment.id)).status, 'EXPIRED');
  assert.deepEqual(await types(), ['payment.intent.created.v1']);
});

test('a command about a closed order fails', async () => {
  const input = command();
  await close(input.orderId);
  const payment = await request(input);
  assert.equal((await stored(payment.id)).status, 'EXPIRED');
  await assertContracts();
  assert.deepEqual(await types(), ['payment.payment.failed.v1']);
});

test('a payment after the end of its order is refunded', async () => {
  const payment = await request(command());
  await close(payment.order_id);
  assert.equal(await receive(webhook(payment)), 'refunded');
  assert.equal((await stored(payment.id)).status, 'EXPIRED');
  const events = await assertContracts();
  assert.equal(events.at(-1).eventType, 'payment.refund.created.v1');
  assert.equal(events.at(-1).data.amount, 59.8);
});

test('the end of a paid order refunds what is left', async () => {
  const payment = await request(command({ amount: 10 }));
  await receive(webhook(payment));
  await refund(payment.id, 400n);
  assert.equal((await stored(payment.id)).status, 'SUCCESS');
  await close(payment.order_id);
  await close(payment.order_id);
  assert.equal((await stored(payment.id)).status, 'REFUNDED');
  const refunds = (await assertContracts()).filter((event) => event.eventType === 'payment.refund.created.v1');
  assert.deepEqual(refunds.map((event) => event.data.amount), [4, 6]);
});

test('a refund is never larger than the payment', async () => {
  const payment = await request(command({ amount: 10 }));
  await assert.rejects(refund(payment.id, null), (error) => error.code === 'PAYMENT_NOT_REFUNDABLE');
  await receive(webhook(payment));
  await assert.rejects(refund(payment.id, 1001n), (error) => error.code === 'REFUND_TOO_LARGE');
  const outcomes = await Promise.allSettled([refund(payment.id, 600n), refund(payment.id, 600n)]);
  assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1);
});

test('a rolled back payment leaves no event', async () => {
  await assert.rejects(
    transaction(database.pool, async (client) => {
      await payments.requestIntent(client, command(), TRACE);
      throw new Error('the process ends here');
    }),
  );
  assert.deepEqual(await types(), []);
});

test('amounts that are not money are refused', async () => {
  for (const amount of [1.005, -1, '1e3', NaN, null, 1e15]) await assert.rejects(request(command({ amount })), PermanentError);
});
