/** All SQL about the table outbox_events. */
import { randomUUID } from 'node:crypto';

/**
 * Inserts an event in the transaction of the client. The row becomes visible to the relay when the transaction commits.
 *
 * @param client a connection with an open transaction
 * @param event {aggregateId, eventType, payload, version?, headers?}
 * @returns the id of the event
 */
export async function insertEvent(client, event) {
  const id = event.id ?? randomUUID();
  await client.query(
    'INSERT INTO outbox_events (id, aggregate_id, event_type, version, payload, headers) VALUES ($1, $2, $3, $4, $5, $6)',
    [id, event.aggregateId, event.eventType, event.version ?? 1, JSON.stringify(event.payload), JSON.stringify(event.headers ?? {})],
  );
  return id;
}

/** Returns events that are not published, the oldest first. */
export async function findUnprocessed(client, limit) {
  const { rows } = await client.query(
    `SELECT id, aggregate_id, event_type, version, payload::text AS payload, headers, created_at
       FROM outbox_events WHERE NOT processed ORDER BY created_at, waybill_seq LIMIT $1`,
    [limit],
  );
  return rows;
}

export async function markProcessed(client, id) {
  await client.query('UPDATE outbox_events SET processed = true, processed_at = now(), error_message = NULL WHERE id = $1', [id]);
}

/** Gives up on an event that can never be published, so that it does not block the table forever. */
export async function markFailed(client, id, message) {
  await client.query('UPDATE outbox_events SET processed = true, processed_at = now(), error_message = $2 WHERE id = $1', [id, message]);
}

export async function recordError(client, id, message) {
  await client.query('UPDATE outbox_events SET error_message = $2 WHERE id = $1', [id, message]);
}
