/**
 * W3C trace context and spans, exported as OTLP/HTTP JSON. A span is kept in memory until it is sent; spans that the collector does
 * not accept are dropped, because a service must not wait for its traces.
 */
import { randomBytes } from 'node:crypto';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const LARGEST_QUEUE = 4096;
const LARGEST_BATCH = 512;

export const KIND = { INTERNAL: 1, SERVER: 2, CLIENT: 3, PRODUCER: 4, CONSUMER: 5 };

/** Reads a context from headers. Returns null if there is none or if it is malformed. */
export function readContext(headers) {
  const match = TRACEPARENT.exec(headers?.traceparent ?? '');
  if (!match || /^0+$/.test(match[1]) || /^0+$/.test(match[2])) return null;
  return { traceId: match[1], spanId: match[2], flags: match[3], tracestate: headers.tracestate || undefined };
}

/** Writes a context as headers of an event. */
export function writeContext(context) {
  const headers = { traceparent: `00-${context.traceId}-${context.spanId}-${context.flags}` };
  if (context.tracestate) headers.tracestate = context.tracestate;
  return headers;
}

function attribute(key, value) {
  if (typeof value === 'number') return { key, value: { intValue: String(value) } };
  return { key, value: { stringValue: String(value) } };
}

export class Tracer {
  #queue = [];
  #timer = null;
  #sending = Promise.resolve();

  constructor(endpoint, serviceName, fetcher = fetch) {
    this.url = endpoint ? endpoint.replace(/\/+$/, '').replace(/\/v1\/traces$/, '') + '/v1/traces' : null;
    this.serviceName = serviceName;
    this.fetcher = fetcher;
  }

  /** Begins a span. Without a parent, it begins a trace of its own. */
  start(name, kind, parent, attributes = {}, links = []) {
    return new Span(this, name, kind, parent, attributes, links);
  }

  /** Runs the work in a span, which ends with the work. */
  async run(name, kind, parent, attributes, work, links = []) {
    const span = this.start(name, kind, parent, attributes, links);
    try {
      return await work(span);
    } catch (e) {
      span.fail(e);
      throw e;
    } finally {
      span.end();
    }
  }

  add(span) {
    if (!this.url || this.#queue.length >= LARGEST_QUEUE) return;
    this.#queue.push(span);
    this.#timer ??= setTimeout(() => this.flush(), 200).unref();
  }

  /** Sends all spans that have ended. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const spans = this.#queue.splice(0, LARGEST_BATCH);
    if (spans.length > 0) this.#sending = this.#sending.then(() => this.#send(spans));
    return this.#queue.length > 0 ? this.flush() : this.#sending;
  }

  async #send(spans) {
    const body = JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [attribute('service.name', this.serviceName)] },
          scopeSpans: [{ scope: { name: 'polyshop-payment' }, spans }],
        },
      ],
    });
    try {
      const headers = { 'content-type': 'application/json' };
      const answer = await this.fetcher(this.url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) });
      await answer.arrayBuffer();
    } catch {
      // The collector does not answer. These spans are dropped: its absence must not disturb payments.
    }
  }
}

class Span {
  #tracer;
  #record;
  #start = process.hrtime.bigint();
  #ended = false;

  constructor(tracer, name, kind, parent, attributes, links) {
    this.#tracer = tracer;
    this.context = {
      traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      flags: parent?.flags ?? '01',
      tracestate: parent?.tracestate,
    };
    this.#record = {
      traceId: this.context.traceId,
      spanId: this.context.spanId,
      ...(parent && { parentSpanId: parent.spanId }),
      name,
      kind,
      startTimeUnixNano: String(BigInt(Date.now()) * 1_000_000n),
      attributes: Object.entries(attributes).filter(([, v]) => v !== undefined && v !== null).map(([k, v]) => attribute(k, v)),
      links: links.filter(Boolean).map(({ traceId, spanId }) => ({ traceId, spanId })),
      status: {},
    };
  }

  set(key, value) {
    this.#record.attributes.push(attribute(key, value));
  }

  fail(error) {
    this.#record.status = { code: 2, message: String(error.message ?? error) };
    this.set('error.type', error.code ?? error.name ?? 'Error');
  }

  end() {
    if (this.#ended) return;
    this.#ended = true;
    const nanos = process.hrtime.bigint() - this.#start;
    this.#record.endTimeUnixNano = String(BigInt(this.#record.startTimeUnixNano) + nanos);
    if (parseInt(this.context.flags, 16) & 1) this.#tracer.add(this.#record);
  }
}
