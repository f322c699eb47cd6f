/** The envelope of the shop: written by the outbox worker, read by the consumer. */
import { createHash } from 'node:crypto';
import { PoisonError } from './errors.js';
import { readContext } from './trace.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Wraps a row of outbox_events. Waybill's relay writes the same envelope. */
export function buildEnvelope(row, source) {
  const headers = row.headers ?? {};
  return {
    eventId: row.id,
    timestamp: row.created_at.toISOString(),
    eventType: row.event_type,
    version: row.version,
    source: headers.source ?? source,
    data: JSON.parse(row.payload),
    metadata: {
      traceId: readContext(headers)?.traceId ?? row.id,
      correlationId: headers['correlation-id'] ?? row.id,
      ...(headers['causation-id'] && { causationId: headers['causation-id'] }),
      ...(headers['idempotency-key'] && { idempotencyKey: headers['idempotency-key'] }),
      ...(headers['user-id'] && { userId: headers['user-id'] }),
    },
  };
}

/** Reads a Kafka record. Unknown fields are ignored. Throws a PoisonError if the record is no event. */
export function readEnvelope(topic, message) {
  const headers = Object.fromEntries(Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]));
  let envelope;
  try {
    envelope = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(message.value));
  } catch (e) {
    throw new PoisonError(`The record is not JSON: ${e.message}`);
  }
  if (envelope === null || typeof envelope !== 'object' || Array.isArray(envelope)) throw new PoisonError('The record is not a JSON object.');
  if (!UUID.test(envelope.eventId ?? '')) throw new PoisonError('The record has no eventId, or it is not a UUID.');
  if (envelope.data === null || typeof envelope.data !== 'object') throw new PoisonError('The record has no data.');
  return {
    id: envelope.eventId.toLowerCase(),
    type: storable(envelope.eventType ?? topic),
    source: typeof envelope.source === 'string' ? storable(envelope.source) : null,
    data: envelope.data,
    correlationId: storable(envelope.metadata?.correlationId ?? envelope.eventId),
    traceId: storable(envelope.metadata?.traceId ?? envelope.eventId),
    headers,
  };
}

/** PostgreSQL stores no NUL characters. A name that contains one must not keep its event from becoming a dead letter. */
export function storable(text) {
  return String(text).replaceAll('\u0000', '\uFFFD').slice(0, 255);
}

/** An id for a record that has none: the same record always gets the same id. */
export function recordId(topic, partition, offset) {
  const hash = createHash('sha1').update(`${topic}/${partition}/${offset}`).digest();
  hash[6] = (hash[6] & 0x0f) | 0x50;
  hash[8] = (hash[8] & 0x3f) | 0x80;
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
