/**
 * The rules of payments. Every method runs in a transaction of its caller, locks the payment first, and writes the new state of the
 * payment and the events about it together. So the events of an order are written in the order of its changes.
 *
 * INITIATED → REQUIRES_ACTION → SUCCESS | FAILED | EXPIRED; SUCCESS → REFUNDED
 */
import { createHash, randomUUID } from 'node:crypto';
import { PermanentError, RequestError } from './errors.js';
import { toCents, toDecimal, toNumber } from './money.js';
import { insertEvent } from './outboxRepository.js';

const NEXT = {
  INITIATED: ['REQUIRES_ACTION', 'FAILED', 'EXPIRED'],
  REQUIRES_ACTION: ['SUCCESS', 'FAILED', 'EXPIRED'],
  SUCCESS: ['REFUNDED'],
  FAILED: [],
  EXPIRED: [],
  REFUNDED: [],
};

export class PaymentDomainService {
  /** @param checkoutBase the address at which a customer pays */
  constructor(checkoutBase) {
    this.checkoutBase = checkoutBase;
  }

  /**
   * Prepares the payment of an order, once per order. A repeated command gets the same answer again.
   *
   * @param headers the headers for the event: trace context, correlation, and the saga- headers of the command
   */
  async requestIntent(client, command, headers) {
    const amount = toCents(command.amount);
    if (amount === null) throw new PermanentError(`The amount ${command.amount} is not an amount of money with at most two decimals.`);
    if (!/^[A-Z]{3}$/.test(command.currency ?? '')) throw new PermanentError('The currency must be three capital letters.');
    const provider = command.provider ?? 'STRIPE';
    if (!['STRIPE', 'PAYPAL'].includes(provider)) throw new PermanentError(`There is no payment provider ${provider}.`);
    const orderId = requireUuid(command.orderId, 'orderId');
    await lockOrder(client, orderId);
    const closed = await client.query('SELECT reason FROM closed_orders WHERE order_id = $1', [orderId]);

    let payment = await findByOrder(client, orderId);
    if (!payment) {
      const id = randomUUID();
      const providerRef = 'pi_' + createHash('sha256').update(`order-${orderId}`).digest('hex').slice(0, 24);
      const { rows } = await client.query(
        `INSERT INTO payments (id, order_id, user_id, amount, currency, status, provider, provider_ref, checkout_url, expires_at,
                               correlation_id, traceparent, tracestate)
         VALUES ($1, $2, $3, $4, $5, 'INITIATED', $6, $7, $8, $9, $10, $11, $12) RETURNING *`,
        [
          id,
          orderId,
          command.userId ?? null,
          toDecimal(amount),
          command.currency,
          provider,
          providerRef,
          `${this.checkoutBase}/checkout/${providerRef}`,
          command.expiresAt ?? null,
          headers['correlation-id'] ?? orderId,
          headers.traceparent ?? null,
          headers.tracestate ?? null,
        ],
      );
      payment = rows[0];
      if (closed.rowCount > 0) {
        payment = await transition(client, payment, 'EXPIRED', `The order was closed before its payment began: ${closed.rows[0].reason}`);
      } else {
        payment = await transition(client, payment, 'REQUIRES_ACTION');
      }
    } else if (toCents(payment.amount) !== amount || payment.currency !== command.currency) {
      throw new PermanentError(`Order ${orderId} already has a payment of ${payment.amount} ${payment.currency}.`);
    }
    if (payment.status === 'EXPIRED' || payment.status === 'FAILED') {
      await insertEvent(client, failedEvent(payment, headers));
    } else {
      await insertEvent(client, event(payment, 'payment.intent.created.v1', headers, {
        ...describe(payment),
        providerRef: payment.provider_ref,
        checkoutUrl: payment.checkout_url,
        createdAt: payment.created_at.toISOString(),
      }));
    }
    return payment;
  }

  /** Ends the payment of an order that was cancelled or has expired. Money that was received is refunded. */
  async closeOrder(client, orderIdText, reason, headers) {
    const orderId = requireUuid(orderIdText, 'orderId');
    await lockOrder(client, orderId);
    await client.query('INSERT INTO closed_orders (order_id, reason) VALUES ($1, $2) ON CONFLICT DO NOTHING', [orderId, reason]);
    const payment = await findByOrder(client, orderId);
    if (!payment) return null;
    if (payment.status === 'INITIATED' || payment.status === 'REQUIRES_ACTION') {
      return transition(client, payment, 'EXPIRED', reason);
    }
    if (payment.status === 'SUCCESS') {
      await this.refund(client, payment, null, reason, headers);
    }
    return payment;
  }

  /**
   * Applies an event of the provider, once per id of the event.
   *
   * @returns what happened: applied, duplicate, ignored or refunded
   */
  async applyProviderEvent(client, providerEvent, headersOf) {
    const { id, type, object } = providerEvent;
    const first = await client.query('INSERT INTO provider_events (id, type) VALUES ($1, $2) ON CONFLICT DO NOTHING', [id, type]);
    if (first.rowCount === 0) return 'duplicate';
    if (type !== 'payment_intent.succeeded' && type !== 'payment_intent.payment_failed') return 'ignored';
    const found = await client.query('SELECT order_id FROM payments WHERE provider_ref = $1', [object.id]);
    if (found.rowCount === 0) throw new RequestError(404, 'PAYMENT_NOT_FOUND', `There is no payment ${object.id}.`);
    await lockOrder(client, found.rows[0].order_id);
    const payment = await findByOrder(client, found.rows[0].order_id);
    const headers = headersOf(payment);

    if (type === 'payment_intent.payment_failed') {
      if (payment.status !== 'INITIATED' && payment.status !== 'REQUIRES_ACTION') return 'ignored';
      const failed = await transition(client, payment, 'FAILED', String(object.last_payment_error?.message ?? 'The provider refused the payment.').slice(0, 1000));
      await insertEvent(client, failedEvent(failed, headers));
      return 'applied';
    }
    const received = object.amount_received ?? object.amount;
    if (BigInt(received) !== toCents(payment.amount) || String(object.currency).toUpperCase() !== payment.currency) {
      throw new RequestError(422, 'AMOUNT_MISMATCH', `Payment ${payment.id} is about ${payment.amount} ${payment.currency}.`);
    }
    if (payment.status === 'SUCCESS' || payment.status === 'REFUNDED') return 'ignored';
    if (payment.status === 'FAILED' || payment.status === 'EXPIRED') {
      // The customer paid after the order was closed. The state of the payment remains, and the money goes back.
      await this.#insertRefund(client, payment, toCents(payment.amount), 'The payment arrived after it was closed.', headers);
      return 'refunded';
    }
    const paid = await transition(client, payment, 'SUCCESS');
    await insertEvent(client, event(paid, 'payment.payment.succeeded.v1', headers, {
      ...describe(paid),
      providerRef: paid.provider_ref,
      createdAt: paid.updated_at.toISOString(),
    }));
    return 'applied';
  }

  /**
   * Refunds a payment that the caller has locked.
   *
   * @param amount cents, or null for everything that is not refunded yet
   */
  async refund(client, payment, amount, reason, headers) {
    if (payment.status !== 'SUCCESS') {
      throw new RequestError(409, 'PAYMENT_NOT_REFUNDABLE', `Payment ${payment.id} is ${payment.status}. Only a payment in the state SUCCESS can be refunded.`);
    }
    const left = toCents(payment.amount) - (await refunded(client, payment.id));
    const part = amount ?? left;
    if (part > left) throw new RequestError(422, 'REFUND_TOO_LARGE', `Only ${toDecimal(left)} ${payment.currency} of payment ${payment.id} can be refunded.`);
    if (part === left) await transition(client, payment, 'REFUNDED');
    return part === 0n ? null : this.#insertRefund(client, payment, part, reason, headers);
  }

  async #insertRefund(client, payment, amount, reason, headers) {
    const { rows } = await client.query(
      "INSERT INTO refunds (id, payment_id, amount, reason, status) VALUES ($1, $2, $3, $4, 'SUCCESS') RETURNING *",
      [randomUUID(), payment.id, toDecimal(amount), reason ?? null],
    );
    const refund = describeRefund(rows[0], payment);
    await insertEvent(client, event(payment, 'payment.refund.created.v1', headers, { ...refund, orderId: payment.order_id }));
    return refund;
  }

  /** Returns the payment, locked against changes by others. */
  async lockPayment(client, id) {
    const found = await client.query('SELECT order_id FROM payments WHERE id = $1', [id]);
    if (found.rowCount === 0) return null;
    await lockOrder(client, found.rows[0].order_id);
    return findByOrder(client, found.rows[0].order_id);
  }
}

/** Serializes all changes about an order, also before its payment exists. */
async function lockOrder(client, orderId) {
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [orderId.toLowerCase()]);
}

async function findByOrder(client, orderId) {
  const { rows } = await client.query('SELECT * FROM payments WHERE order_id = $1 FOR UPDATE', [orderId]);
  return rows[0] ?? null;
}

async function refunded(client, paymentId) {
  const { rows } = await client.query("SELECT coalesce(sum(amount), 0)::text AS sum FROM refunds WHERE payment_id = $1 AND status <> 'FAILED'", [paymentId]);
  return toCents(rows[0].sum);
}

async function transition(client, payment, to, reason = null) {
  if (!NEXT[payment.status].includes(to)) {
    throw new RequestError(409, 'ILLEGAL_TRANSITION', `Payment ${payment.id} cannot change from ${payment.status} to ${to}.`);
  }
  const { rows } = await client.query(
    'UPDATE payments SET status = $2, failure_reason = coalesce($3, failure_reason), updated_at = clock_timestamp() WHERE id = $1 RETURNING *',
    [payment.id, to, reason],
  );
  return rows[0];
}

function event(payment, eventType, headers, payload) {
  const userId = payment.user_id ? { 'user-id': payment.user_id } : {};
  return {
    aggregateId: payment.order_id,
    eventType,
    payload: payment.user_id && eventType !== 'payment.intent.created.v1' ? { ...payload, userId: payment.user_id } : payload,
    headers: { 'correlation-id': payment.correlation_id, source: 'payment-service', ...userId, ...headers },
  };
}

function failedEvent(payment, headers) {
  return event(payment, 'payment.payment.failed.v1', headers, {
    ...describe(payment),
    failureReason: payment.failure_reason ?? 'The payment failed.',
    failedAt: payment.updated_at.toISOString(),
  });
}

function describe(payment) {
  return {
    paymentId: payment.id,
    orderId: payment.order_id,
    amount: toNumber(toCents(payment.amount)),
    currency: payment.currency,
    provider: payment.provider,
  };
}

/** The payment as the HTTP API shows it. */
export function paymentView(payment) {
  return {
    id: payment.id,
    ...describe(payment),
    status: payment.status,
    checkoutUrl: payment.checkout_url,
    failureReason: payment.failure_reason,
    createdAt: payment.created_at.toISOString(),
    updatedAt: payment.updated_at.toISOString(),
  };
}

function describeRefund(refund, payment) {
  return {
    refundId: refund.id,
    paymentId: refund.payment_id,
    amount: toNumber(toCents(refund.amount)),
    currency: payment.currency,
    reason: refund.reason,
    status: refund.status,
    createdAt: refund.created_at.toISOString(),
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text) {
  return typeof text === 'string' && UUID.test(text);
}

function requireUuid(text, name) {
  if (!isUuid(text)) throw new PermanentError(`${name} must be a UUID.`);
  return text.toLowerCase();
}
