/** Runs the outbox worker as a process of its own: node src/outboxWorkerMain.js */
import { openPool } from './database.js';
import { kafkaClient } from './kafka.js';
import { log } from './log.js';
import { OutboxWorker } from './outboxWorker.js';

const pool = openPool(process.env.DATABASE_URL, 2);
const producer = kafkaClient(process.env.KAFKA.split(','), 'payment-outbox-worker').producer({ maxInFlightRequests: 1, allowAutoTopicCreation: true });
for (;;) {
  try {
    await producer.connect();
    break;
  } catch (error) {
    log.warn('Cannot reach Kafka; retrying in 1 s.', { error });
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
const worker = new OutboxWorker({ pool, producer, source: 'payment-service' });
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => worker.stop());
log.info('The outbox worker is running.');
await worker.run();
await producer.disconnect();
await pool.end();
log.info('The outbox worker has stopped.');
