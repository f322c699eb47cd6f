/** The payment service: node src/main.js */
import { readConfig } from './config.js';
import { Consumer } from './consumer.js';
import { createTables, databaseIsDown, openPool } from './database.js';
import { PaymentServer } from './http.js';
import { kafkaClient } from './kafka.js';
import { log } from './log.js';
import { PaymentDomainService } from './paymentDomainService.js';
import { Tokens } from './tokens.js';
import { Tracer } from './trace.js';

let config;
try {
  config = readConfig();
} catch (e) {
  process.stderr.write(`${e.message}\n`);
  process.exit(2);
}

const tracer = new Tracer(config.otlpEndpoint, 'payment-service');
const pool = openPool(config.databaseUrl);
for (;;) {
  try {
    await createTables(pool);
    break;
  } catch (error) {
    if (!databaseIsDown(error)) throw error;
    log.warn('The database is down; retrying in 1 s.', { error });
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

const payments = new PaymentDomainService(process.env.PUBLIC_URL ?? `http://127.0.0.1:${config.port}`);
const consumer = new Consumer({
  kafka: kafkaClient(config.kafka, 'payment-service'),
  group: config.group,
  pool,
  payments,
  tracer,
  retryBaseMillis: config.retryBaseMillis,
});
const server = new PaymentServer({
  pool,
  payments,
  tokens: new Tokens(config.jwksUrl),
  tracer,
  webhookSecret: config.webhookSecret,
  consumer,
  faults: { refuses: config.refuses },
});
const port = await server.listen(config.port);
if (config.port === 0 && !process.env.PUBLIC_URL) payments.checkoutBase = `http://127.0.0.1:${port}`;
consumer.start();
log.info(`The payment service listens on http://127.0.0.1:${port}.`, { port });

let stopping = false;
async function stop() {
  if (stopping) return;
  stopping = true;
  // A client that does not answer must not keep the process alive.
  setTimeout(() => process.exit(1), 10_000).unref();
  await server.close();
  await consumer.stop();
  await tracer.flush();
  await pool.end();
  log.info('The payment service has stopped.');
}
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop);
