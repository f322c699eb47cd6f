/** Support for tests: a database of their own, and the contracts. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import pg from 'pg';
import { createTables, openPool } from '../../src/database.js';
import { buildEnvelope } from '../../src/envelope.js';

const CONTRACTS = new URL('../../../contracts/', import.meta.url);

/** Creates a database with the tables of the service, on the server that DATABASE_URL names. */
export async function freshDatabase() {
  if (!process.env.DATABASE_URL) throw new Error('These tests need PostgreSQL. Set DATABASE_URL, for example to postgresql://postgres@127.0.0.1:5432/postgres.');
  const name = `payment_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(process.env.DATABASE_URL);
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  url.pathname = `/${name}`;
  const pool = openPool(url.href, 5);
  await createTables(pool);
  return {
    pool,
    url: url.href,
    async drop() {
      await pool.end();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

/** Returns a function that validates a message against the contract of a name. It returns the list of errors. */
export function contracts() {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  addFormats(ajv);
  for (const file of readdirSync(CONTRACTS).filter((name) => name.endsWith('.json'))) {
    const schema = JSON.parse(readFileSync(new URL(file, CONTRACTS), 'utf8'));
    if (schema.$id) ajv.addSchema(schema);
  }
  return (name, message) => {
    const validate = ajv.getSchema(`https://polyshop.example/contracts/${name}.json`);
    if (!validate) throw new Error(`There is no contract ${name}.`);
    return validate(message) ? [] : validate.errors;
  };
}

/** The messages that the relay would publish now, in order. */
export async function published(pool) {
  const { rows } = await pool.query('SELECT *, payload::text AS payload FROM outbox_events ORDER BY waybill_seq');
  return rows.map((row) => buildEnvelope(row, 'payment-service'));
}

export function command(fields = {}) {
  return { orderId: randomUUID(), userId: randomUUID(), amount: 59.8, currency: 'EUR', ...fields };
}

export function webhook(payment, type = 'payment_intent.succeeded', fields = {}) {
  const cents = Math.round(Number(payment.amount) * 100);
  return {
    id: `evt_${randomBytes(8).toString('hex')}`,
    type,
    object: { id: payment.provider_ref, amount: cents, amount_received: cents, currency: payment.currency.toLowerCase(), ...fields },
  };
}
