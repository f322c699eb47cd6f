/**
 * Consumes the commands of the order saga. The mark in processed_events, the change of the payment and the event about it commit
 * together. An event that fails is tried again after 1, 2, 4, 8 and 16 seconds, and then becomes a dead letter; later records of its
 * partition wait, because they may be about the same order. While the database is down, no attempt is counted.
 */
import { transaction, databaseIsDown } from './database.js';
import { readEnvelope, recordId, storable } from './envelope.js';
import { PermanentError, PoisonError, RequestError } from './errors.js';
import { log, withLogContext } from './log.js';
import { insertEvent } from './outboxRepository.js';
import { KIND, readContext, writeContext } from './trace.js';

const RETRIES = 5;
const LONGEST_WAIT_FACTOR = 16;

// Leaves room for the other fields below 1 MiB, the default limit of Kafka.
const LARGEST_ORIGINAL = 900_000;

export const TOPICS = ['payment.intent.requested.v1', 'order.order.cancelled.v1', 'order.order.expired.v1'];

export class Consumer {
  #stopping = new AbortController();

  constructor({ kafka, group, pool, payments, tracer, retryBaseMillis }) {
    Object.assign(this, { kafka, group, pool, payments, tracer, retryBaseMillis });
    this.connected = false;
  }

  /** Starts in the background, and connects again until it is stopped. */
  start() {
    this.running = this.#run();
  }

  async #run() {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#createTopics();
        this.consumer = this.kafka.consumer({
          groupId: this.group,
          sessionTimeout: 6000,
          rebalanceTimeout: 20_000,
          heartbeatInterval: 1000,
          maxWaitTimeInMs: 200,
          retry: { restartOnFailure: async () => !this.#stopping.signal.aborted },
        });
        this.consumer.on(this.consumer.events.GROUP_JOIN, () => (this.connected = true));
        this.consumer.on(this.consumer.events.CRASH, () => (this.connected = false));
        await this.consumer.connect();
        await this.consumer.subscribe({ topics: TOPICS, fromBeginning: true });
        await this.consumer.run({
          autoCommitInterval: 500,
          partitionsConsumedConcurrently: 3,
          eachMessage: (record) => this.#handle(record),
        });
        log.info(`Consuming ${TOPICS.join(', ')} in the group ${this.group}.`);
        return;
      } catch (error) {
        log.warn('Cannot reach Kafka; retrying in 1 s.', { error });
        await this.consumer?.disconnect().catch(() => {});
        await this.#sleep(1000);
      }
    }
  }

  async #createTopics() {
    const admin = this.kafka.admin();
    try {
      await admin.connect();
      const existing = new Set(await admin.listTopics());
      const missing = TOPICS.filter((topic) => !existing.has(topic));
      if (missing.length > 0) {
        await admin.createTopics({ topics: missing.map((topic) => ({ topic, numPartitions: 3 })), waitForLeaders: true });
      }
    } finally {
      await admin.disconnect().catch(() => {});
    }
  }

  async stop() {
    this.#stopping.abort();
    await this.running;
    await this.consumer?.disconnect().catch(() => {});
  }

  async #handle({ topic, partition, message, heartbeat }) {
    let event;
    try {
      event = readEnvelope(topic, message);
    } catch (error) {
      if (!(error instanceof PoisonError)) throw error;
      event = { id: recordId(topic, partition, message.offset), headers: {}, poison: error };
    }
    const parent = readContext(event.headers);
    const traceId = parent?.traceId ?? event.traceId ?? event.id;
    await withLogContext({ traceId, eventId: event.id, topic }, async () => {
      for (let failures = 0, outages = 0; ; ) {
        try {
          if (event.poison) throw event.poison;
          await this.#process(topic, event, parent);
          return;
        } catch (error) {
          if (databaseIsDown(error)) {
            const wait = this.#wait(outages++);
            log.warn(`The database is down; retrying in ${wait} ms.`, { error });
            await this.#pause(wait, heartbeat);
            continue;
          }
          // A refused transition is a fact about the payment, and an invalid value (SQLSTATE 22 and 23) is one about the event:
          // another attempt does not change them.
          const permanent = error instanceof PermanentError || error instanceof RequestError || /^2[23]/.test(error?.code ?? '');
          if (!permanent && failures < RETRIES) {
            const wait = this.#wait(failures++);
            log.warn(`Cannot process the event; attempt ${failures + 1} follows in ${wait} ms.`, { error });
            await this.#pause(wait, heartbeat);
            continue;
          }
          if (await this.#deadLetter(topic, partition, message, event, error, failures + 1, heartbeat)) return;
        }
      }
    });
  }

  #process(topic, event, parent) {
    const attributes = {
      'messaging.system': 'kafka',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': topic,
      'messaging.message.id': event.id,
      'messaging.message.conversation_id': event.correlationId,
      'messaging.consumer.group.name': this.group,
    };
    return this.tracer.run(`process ${topic}`, KIND.CONSUMER, parent, attributes, async (span) => {
      const outcome = await transaction(this.pool, async (client) => {
        const mark = await client.query(
          'INSERT INTO processed_events (event_id, event_type, source) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          [event.id, event.type, event.source],
        );
        if (mark.rowCount === 0) return 'duplicate';
        await this.#apply(client, topic, event, span);
        return 'processed';
      });
      span.set('waybill.outcome', outcome);
      log.info(outcome === 'duplicate' ? 'Skipped a duplicate.' : 'Processed the event.');
    });
  }

  async #apply(client, topic, event, span) {
    const headers = {
      ...writeContext(span.context),
      'correlation-id': event.correlationId,
      'causation-id': event.id,
    };
    switch (topic) {
      case 'payment.intent.requested.v1': {
        const saga = Object.entries(event.headers).filter(([name]) => name.startsWith('saga-'));
        await this.payments.requestIntent(client, event.data, { ...headers, ...Object.fromEntries(saga) });
        return;
      }
      case 'order.order.cancelled.v1':
        await this.payments.closeOrder(client, event.data.orderId, storable(`The order was cancelled: ${event.data.reason ?? 'no reason given'}`), headers);
        return;
      case 'order.order.expired.v1':
        await this.payments.closeOrder(client, event.data.orderId, 'The order was not paid in time.', headers);
        return;
      default:
        throw new PermanentError(`There is no handler for ${topic}.`);
    }
  }

  /** Writes the dead letter and the mark together. Returns false if that failed and must be tried again. */
  async #deadLetter(topic, partition, message, event, error, attempts, heartbeat) {
    const text = message.value?.toString('utf8') ?? '';
    let original = null;
    try {
      original = JSON.parse(text);
    } catch {
      original = text.replaceAll('\u0000', '\uFFFD');
    }
    if (Buffer.byteLength(JSON.stringify(original)) > LARGEST_ORIGINAL) original = null;
    const payload = {
      eventId: event.id,
      originalEvent: original,
      errorMessage: String(error.message || error).slice(0, 1000).replaceAll('\u0000', ''),
      failedAt: new Date().toISOString(),
      consumerService: 'payment-service',
    };
    const trace = readContext(event.headers);
    const headers = {
      envelope: 'none',
      source: 'payment-service',
      'dead-letter-topic': topic,
      'dead-letter-partition': String(partition),
      'dead-letter-offset': message.offset,
      'dead-letter-group': this.group,
      'dead-letter-attempts': String(attempts),
      'causation-id': event.id,
      ...(trace && writeContext(trace)),
      ...(event.correlationId && { 'correlation-id': event.correlationId }),
    };
    // The mark is about this record and not about its event: a dead letter that is replayed is a new record and is processed.
    const mark = recordId(topic, partition, `${message.offset}/${event.id}`);
    try {
      await transaction(this.pool, async (client) => {
        const first = await client.query(
          'INSERT INTO processed_events (event_id, event_type, source) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          [mark, `${topic}.dlt`, event.source ?? null],
        );
        if (first.rowCount === 0) return;
        const key = storable(message.key?.toString('utf8') || event.id);
        await insertEvent(client, { aggregateId: key, eventType: `${topic}.dlt`, payload, headers });
      });
      log.error('The event became a dead letter.', { error, attempts, alert: error instanceof PoisonError });
      return true;
    } catch (failed) {
      log.error('Cannot store a dead letter; retrying.', { error: failed });
      await this.#pause(this.#wait(0), heartbeat);
      return false;
    }
  }

  #wait(failures) {
    return this.retryBaseMillis * Math.min(2 ** failures, LONGEST_WAIT_FACTOR);
  }

  /** Waits, and tells the group meanwhile that this member is alive. Throws when the consumer stops: the record is read again later. */
  async #pause(millis, heartbeat) {
    const end = Date.now() + millis;
    do {
      await this.#sleep(Math.min(500, Math.max(0, end - Date.now())));
      if (this.#stopping.signal.aborted) throw new Error('The consumer is stopping.');
      await heartbeat();
    } while (Date.now() < end);
  }

  #sleep(millis) {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#stopping.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, millis);
      this.#stopping.signal.addEventListener('abort', done, { once: true });
    });
  }
}
