/**
 * The outbox worker of the original design, which Waybill's relay replaces. It is kept for the switch-over and for its test.
 *
 * It polls outbox_events, publishes each row with its envelope, and then marks the row. One worker may run at a time: it has no leases.
 * A crash between the acknowledgement of Kafka and the mark publishes the event again, so consumers recognize duplicates by eventId.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseIsDown } from './database.js';
import { buildEnvelope } from './envelope.js';
import { log } from './log.js';
import { findUnprocessed, markFailed, markProcessed, recordError } from './outboxRepository.js';

export class OutboxWorker {
  #stopping = new AbortController();

  constructor({ pool, producer, source, batchSize = 100, idleMillis = 100, retryMillis = 500 }) {
    Object.assign(this, { pool, producer, source, batchSize, idleMillis, retryMillis });
  }

  /** Runs until stop() is called. */
  async run() {
    while (!this.#stopping.signal.aborted) {
      try {
        const rows = await findUnprocessed(this.pool, this.batchSize);
        if (rows.length === 0) await this.#sleep(this.idleMillis);
        for (const row of rows) {
          if (this.#stopping.signal.aborted) return;
          // A row that fails temporarily ends the batch: a later event of its order must not overtake it.
          if (!(await this.#publish(row))) break;
        }
      } catch (error) {
        log.warn('Cannot read the outbox; retrying.', { error });
        await this.#sleep(this.retryMillis);
      }
    }
  }

  stop() {
    this.#stopping.abort();
  }

  async #publish(row) {
    const fields = { eventId: row.id, traceId: row.headers?.traceparent?.slice(3, 35) ?? row.id };
    try {
      await this.producer.send({ topic: row.event_type, acks: -1, messages: [toMessage(row, this.source)] });
      await markProcessed(this.pool, row.id);
      return true;
    } catch (error) {
      if (isPermanent(error)) {
        await markFailed(this.pool, row.id, error.message);
        log.error('The event can never be published.', { ...fields, error });
        return true;
      }
      log.warn('Cannot publish the event; retrying.', { ...fields, error });
      if (!databaseIsDown(error)) await recordError(this.pool, row.id, error.message).catch(() => {});
      await this.#sleep(this.retryMillis);
      return false;
    }
  }

  #sleep(millis) {
    return sleep(millis, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}

/** The record of a row. A row with the header "envelope: none", a dead letter, is sent as its payload alone. */
export function toMessage(row, source) {
  const { envelope, ...own } = row.headers ?? {};
  const value = envelope === 'none' ? row.payload : JSON.stringify(buildEnvelope(row, source));
  return {
    key: row.aggregate_id,
    value,
    headers: { 'correlation-id': row.id, ...own, 'event-id': row.id, 'event-type': row.event_type },
  };
}

/** Errors that another attempt cannot cure. */
function isPermanent(error) {
  return ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_TOPIC_EXCEPTION', 'INVALID_RECORD'].includes(error?.type ?? error?.cause?.type);
}
