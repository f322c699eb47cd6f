/** The connection pool, transactions, and errors that are not the fault of an event. */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { log } from './log.js';

export function openPool(databaseUrl, size = 10) {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: size,
    connectionTimeoutMillis: 5000,
    application_name: 'payment-service',
    options: '-c idle_in_transaction_session_timeout=60000 -c lock_timeout=10000 -c statement_timeout=30000',
  });
  // An idle connection that the server closes is replaced at the next use.
  pool.on('error', (error) => log.warn('Lost an idle connection to the database.', { error }));
  return pool;
}

/** Runs the work in a transaction: it commits if the work returns, and rolls back if the work throws. */
export async function transaction(pool, work) {
  const client = await pool.connect();
  let broken;
  // A connection that ends between two statements reports it here; the next statement fails as well.
  const onError = (error) => (broken = error);
  client.on('error', onError);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (e) {
    await client.query('ROLLBACK').catch((failed) => (broken = failed));
    throw e;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** Creates the tables. An advisory lock keeps two instances from creating them at once. */
export async function createTables(pool) {
  const sql = await readFile(new URL('./schema.sql', import.meta.url), 'utf8');
  await transaction(pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock(hashtext('polyshop-payment-schema'))");
    await client.query(sql);
  });
}

const UNAVAILABLE = /^(08|53|57P|25P03)/;

/** Whether the database cannot be reached at the moment. Such an error says nothing about the event that was processed. */
export function databaseIsDown(error) {
  const code = error?.code;
  if (typeof code === 'string' && UNAVAILABLE.test(code)) return true;
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) return true; // ECONNREFUSED, ECONNRESET, EPIPE, ETIMEDOUT
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/.test(
    error?.message ?? '',
  );
}
