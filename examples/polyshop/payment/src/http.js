/** The HTTP API of the service. It listens on the loopback address only. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { databaseIsDown, transaction } from './database.js';
import { RequestError } from './errors.js';
import { log, withLogContext } from './log.js';
import { toCents } from './money.js';
import { isUuid, paymentView } from './paymentDomainService.js';
import { sign, verify } from './stripe.js';
import { KIND, readContext, writeContext } from './trace.js';

const LARGEST_BODY = 64 * 1024;
const KEY_VALID = '7 days';

export class PaymentServer {
  #server = createServer({ requestTimeout: 15_000, headersTimeout: 10_000 }, (request, response) => this.#serve(request, response));

  constructor({ pool, payments, tokens, tracer, webhookSecret, consumer, faults }) {
    Object.assign(this, { pool, payments, tokens, tracer, webhookSecret, consumer, faults });
    this.routes = [
      ['GET', /^\/health$/, () => this.#health()],
      ['POST', /^\/payments$/, (call) => this.#begin(call)],
      ['GET', /^\/payments\/([^/]+)$/, (call) => this.#read(call)],
      ['POST', /^\/payments\/([^/]+)\/refunds$/, (call) => this.#refund(call)],
      ['POST', /^\/webhooks\/stripe$/, (call) => this.#webhook(call)],
      // The sandbox of the payment provider: the customer pays, and the provider sends its webhook.
      ['POST', /^\/checkout\/(pi_[0-9a-f]+)\/(pay|fail)$/, (call) => this.#checkout(call)],
      ['GET', /^\/faults$/, () => ({ status: 200, body: { 'payment-refuses': this.faults.refuses } })],
      ['POST', /^\/faults\/payment-refuses$/, () => this.#fault(true)],
      ['DELETE', /^\/faults\/payment-refuses$/, () => this.#fault(false)],
    ];
  }

  listen(port) {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => resolve(this.#server.address().port));
    });
  }

  close() {
    this.#server.closeIdleConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request, response) {
    const given = request.headers['x-request-id'];
    const requestId = /^[\w-]{1,64}$/.test(given ?? '') ? given : randomUUID();
    const path = pathOf(request);
    const parent = readContext(request.headers);
    const route = this.routes.find(([method, pattern]) => method === request.method && pattern.test(path));
    const name = route ? `${request.method} ${route[1].source.replace(/[\\^$]/g, '').replace(/\([^)]*\)/g, '{}')}` : request.method;
    const span = this.tracer.start(name, KIND.SERVER, parent, { 'http.request.method': request.method, 'url.path': path });
    await withLogContext({ traceId: span.context.traceId, requestId }, async () => {
      let answer;
      try {
        this.#requireLocal(request);
        if (!route) throw unknown(this.routes, path);
        const body = await readBody(request);
        const match = route[1].exec(path);
        answer = await route[2]({ request, body, span, parameters: match.slice(1) });
      } catch (error) {
        answer = this.#problem(error, path, requestId);
        if (answer.status >= 500) span.fail(error);
      }
      span.set('http.response.status_code', answer.status);
      span.end();
      const text = answer.body === undefined ? '' : JSON.stringify(answer.body);
      response.writeHead(answer.status, {
        ...(text && { 'content-type': 'application/json; charset=utf-8' }),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': requestId,
        ...answer.headers,
      });
      response.end(text);
      if (!request.complete) request.destroy();
    });
  }

  /** A page of another site must not reach this server through a name that resolves to the loopback address. */
  #requireLocal(request) {
    if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(request.headers.host ?? '')) {
      throw new RequestError(403, 'FORBIDDEN_HOST', 'The service answers requests for loopback names only.');
    }
  }

  #problem(error, path, requestId) {
    const down = databaseIsDown(error);
    const known = error instanceof RequestError;
    const status = known ? error.status : down ? 503 : 500;
    if (!known) log.error('A request failed.', { path, error });
    return {
      status,
      headers: status === 503 ? { 'retry-after': '2' } : {},
      body: {
        timestamp: new Date().toISOString(),
        status,
        error: REASONS[status] ?? 'Error',
        code: known ? error.code : down ? 'DATABASE_UNAVAILABLE' : 'INTERNAL_ERROR',
        message: known ? error.message : down ? 'The database does not answer. Try again later.' : 'The request failed. Its requestId is in the log.',
        path,
        requestId,
        details: known ? error.details : [],
      },
    };
  }

  async #health() {
    const details = { consumer: this.consumer?.connected ? 'UP' : 'DOWN' };
    try {
      await this.pool.query('SELECT 1');
      return { status: 200, body: { status: 'UP', details: { database: 'UP', ...details } } };
    } catch {
      return { status: 503, body: { status: 'DOWN', details: { database: 'DOWN', ...details } } };
    }
  }

  /** Chooses the addresses to which the provider sends the customer, and returns the payment of the order. */
  async #begin({ request, body }) {
    const user = await this.tokens.check(request.headers.authorization);
    const input = parse(body);
    check(input, {
      orderId: (value) => isUuid(value) || 'must be a UUID',
      provider: (value) => ['STRIPE', 'PAYPAL'].includes(value) || 'must be STRIPE or PAYPAL',
      successUrl: optionalUrl,
      cancelUrl: optionalUrl,
    });
    return this.#once(request, user, body, async (client) => {
      const found = await client.query('SELECT * FROM payments WHERE order_id = $1 FOR UPDATE', [input.orderId]);
      const payment = found.rows[0];
      if (!payment || !mayAccess(user, payment)) {
        throw new RequestError(404, 'PAYMENT_NOT_READY', `Order ${input.orderId} has no payment of this customer yet. The order service requests it when the stock is reserved.`);
      }
      if (payment.status !== 'INITIATED' && payment.status !== 'REQUIRES_ACTION') {
        throw new RequestError(409, 'PAYMENT_CLOSED', `Payment ${payment.id} is ${payment.status}.`);
      }
      const { rows } = await client.query(
        `UPDATE payments SET provider = $2, success_url = coalesce($3, success_url), cancel_url = coalesce($4, cancel_url),
                updated_at = clock_timestamp() WHERE id = $1 RETURNING *`,
        [payment.id, input.provider, input.successUrl ?? null, input.cancelUrl ?? null],
      );
      return { status: 201, body: paymentView(rows[0]), headers: { location: `/payments/${payment.id}` } };
    });
  }

  async #read({ request, parameters: [id] }) {
    const user = await this.tokens.check(request.headers.authorization);
    const { rows } = isUuid(id) ? await this.pool.query('SELECT * FROM payments WHERE id = $1', [id]) : { rows: [] };
    if (rows.length === 0 || !mayAccess(user, rows[0])) throw notFound(id);
    return { status: 200, body: paymentView(rows[0]) };
  }

  async #refund({ request, body, span, parameters: [id] }) {
    const user = await this.tokens.check(request.headers.authorization);
    if (!user.roles.includes('ADMIN')) throw new RequestError(403, 'FORBIDDEN', 'Only the role ADMIN may refund a payment.');
    const input = parse(body);
    check(input, {
      amount: (value) => value === undefined || (typeof value === 'number' && (toCents(value) ?? 0n) > 0n) || 'must be a positive number with at most two decimals',
      reason: (value) => value === undefined || (typeof value === 'string' && value.length <= 500 && !value.includes('\u0000')) || 'must be a text of at most 500 characters',
    });
    return this.#once(request, user, body, async (client) => {
      const payment = isUuid(id) ? await this.payments.lockPayment(client, id) : null;
      if (!payment) throw notFound(id);
      const amount = input.amount === undefined ? null : toCents(input.amount);
      const refund = await this.payments.refund(client, payment, amount, input.reason, this.#headersOf(payment, span));
      return { status: 201, body: refund };
    });
  }

  async #webhook({ request, body, span }) {
    if (!verify(body, request.headers['stripe-signature'], this.webhookSecret)) {
      throw new RequestError(400, 'BAD_SIGNATURE', 'The header Stripe-Signature does not match the body.');
    }
    const input = parse(body);
    check(input, {
      id: (value) => (typeof value === 'string' && /^[\w-]{1,255}$/.test(value)) || 'must be the id of the event',
      type: (value) => (typeof value === 'string' && /^[\w.]{1,255}$/.test(value)) || 'must be the type of the event',
      data: (value) => (value !== null && typeof value === 'object') || 'must be an object',
    });
    const object = input.data.object ?? {};
    if (input.type.startsWith('payment_intent.')) {
      check(object, {
        id: (value) => (typeof value === 'string' && /^[\w-]{1,255}$/.test(value)) || 'must be the id of the payment intent',
        amount: (value) => (Number.isSafeInteger(value) && value >= 0) || 'must be a number of cents',
        currency: (value) => typeof value === 'string' || 'must be a currency',
      });
      if (object.amount_received !== undefined && !Number.isSafeInteger(object.amount_received)) {
        throw new RequestError(400, 'BAD_REQUEST', 'amount_received must be a number of cents.');
      }
    }
    const outcome = await this.#settle({ id: input.id, type: input.type, object }, span);
    log.info('Received an event of the provider.', { providerEvent: input.id, type: input.type, outcome });
    return { status: 200, body: { received: true, outcome } };
  }

  #settle(providerEvent, span) {
    return transaction(this.pool, (client) => this.payments.applyProviderEvent(client, providerEvent, (payment) => this.#headersOf(payment, span)));
  }

  /**
   * The headers of an event that an HTTP request caused. The event continues the trace of the order, not that of the request: the
   * provider does not know the order's trace. A span connects both.
   */
  #headersOf(payment, httpSpan) {
    const stored = readContext(payment) ?? httpSpan.context;
    const links = stored.traceId === httpSpan.context.traceId ? [] : [httpSpan.context];
    const span = this.tracer.start('settle payment', KIND.INTERNAL, stored, { 'payment.id': payment.id, 'order.id': payment.order_id }, links);
    span.end();
    return { ...writeContext(span.context), 'correlation-id': payment.correlation_id };
  }

  async #checkout({ parameters: [ref, action], span }) {
    const { rows } = await this.pool.query('SELECT * FROM payments WHERE provider_ref = $1', [ref]);
    if (rows.length === 0) throw notFound(ref);
    const refuses = action === 'fail' || this.faults.refuses;
    const type = refuses ? 'payment_intent.payment_failed' : 'payment_intent.succeeded';
    const amount = Number(toCents(rows[0].amount));
    const body = JSON.stringify({
      id: 'evt_' + createHash('sha256').update(`${ref}/${type}`).digest('hex').slice(0, 24),
      object: 'event',
      type,
      data: {
        object: {
          id: ref,
          object: 'payment_intent',
          amount,
          amount_received: refuses ? 0 : amount,
          currency: rows[0].currency.toLowerCase(),
          ...(refuses && { last_payment_error: { code: 'card_declined', message: 'Your card was declined.' } }),
        },
      },
    });
    const address = this.#server.address();
    const answer = await fetch(`http://127.0.0.1:${address.port}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': sign(body, this.webhookSecret), ...writeContext(span.context) },
      body,
      signal: AbortSignal.timeout(10_000),
    });
    return { status: answer.ok ? 202 : 502, body: await answer.json() };
  }

  #fault(active) {
    this.faults.refuses = active;
    log.warn(active ? 'The provider now refuses payments.' : 'The provider accepts payments again.');
    return { status: 204 };
  }

  /**
   * Runs the work once per Idempotency-Key. The key, the response and the effect commit together: after a crash there is either all
   * of it or nothing. A concurrent request with the same key waits for the first one in its INSERT.
   */
  async #once(request, user, body, work) {
    const key = request.headers['idempotency-key'];
    if (!/^[\x21-\x7e]{1,255}$/.test(key ?? '')) {
      throw new RequestError(400, 'IDEMPOTENCY_KEY_REQUIRED', 'The request needs the header Idempotency-Key: 1 to 255 visible ASCII characters.');
    }
    const path = pathOf(request);
    const scope = `${user.userId} ${request.method} ${path}`;
    const hash = createHash('sha256').update(body).digest('hex');
    return transaction(this.pool, async (client) => {
      await client.query('DELETE FROM idempotency_keys WHERE scope = $1 AND key = $2 AND expires_at < now()', [scope, key]);
      const fresh = await client.query(
        `INSERT INTO idempotency_keys (scope, key, request_hash, expires_at) VALUES ($1, $2, $3, now() + interval '${KEY_VALID}') ON CONFLICT DO NOTHING`,
        [scope, key, hash],
      );
      if (fresh.rowCount === 0) {
        const { rows } = await client.query('SELECT request_hash, status, response FROM idempotency_keys WHERE scope = $1 AND key = $2', [scope, key]);
        if (rows[0].request_hash !== hash) throw new RequestError(409, 'IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key belongs to a request with another body.');
        return { status: rows[0].status, body: rows[0].response.body, headers: { ...rows[0].response.headers, 'idempotency-replayed': 'true' } };
      }
      const answer = await work(client);
      await client.query('UPDATE idempotency_keys SET status = $3, response = $4 WHERE scope = $1 AND key = $2', [
        scope,
        key,
        answer.status,
        JSON.stringify({ body: answer.body, headers: answer.headers ?? {} }),
      ]);
      return answer;
    });
  }
}

const REASONS = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

function mayAccess(user, payment) {
  return user.roles.includes('ADMIN') || payment.user_id === user.userId;
}

function notFound(id) {
  return new RequestError(404, 'PAYMENT_NOT_FOUND', `There is no payment ${id.slice(0, 64)}.`);
}

function unknown(routes, path) {
  return routes.some(([, pattern]) => pattern.test(path))
    ? new RequestError(405, 'METHOD_NOT_ALLOWED', 'This address does not support the method.')
    : new RequestError(404, 'NOT_FOUND', 'There is nothing at this address.');
}

/** The path as sent. The class URL throws for some paths, and resolves others. */
function pathOf(request) {
  return request.url.split(/[?#]/, 1)[0];
}

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new RequestError(413, 'BODY_TOO_LARGE', `A body may have ${LARGEST_BODY} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body) {
  let value;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body) || '{}');
  } catch {
    throw new RequestError(400, 'MALFORMED_JSON', 'The body is not JSON.');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new RequestError(400, 'BAD_REQUEST', 'The body must be a JSON object.');
  return value;
}

function check(input, rules) {
  const details = Object.entries(rules)
    .map(([field, rule]) => ({ field, message: rule(input[field]) }))
    .filter(({ message }) => message !== true);
  if (details.length > 0) throw new RequestError(400, 'VALIDATION_FAILED', `${details[0].field} ${details[0].message}.`, details);
}

function optionalUrl(value) {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'string' || value.length > 2000 || value.includes('\u0000')) return 'must be an address';
  return /^https?:\/\//.test(value) && URL.canParse(value) ? true : 'must be an http or https address';
}
