import kafkajs from 'kafkajs';
import { log } from './log.js';

const LEVELS = { [kafkajs.logLevel.ERROR]: log.warn, [kafkajs.logLevel.WARN]: log.warn };

/** A client whose log lines have the format of the service. */
export function kafkaClient(brokers, clientId) {
  return new kafkajs.Kafka({
    clientId,
    brokers,
    connectionTimeout: 3000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2000, retries: 8 },
    logLevel: kafkajs.logLevel.WARN,
    logCreator: () => ({ level, log: { message, error } }) => LEVELS[level]?.(`Kafka client: ${message}`, { error }),
  });
}
