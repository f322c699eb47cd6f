/** Structured logs: one JSON object per line. Every line has traceId and eventId; they are null outside of a request or an event. */
import { AsyncLocalStorage } from 'node:async_hooks';

const context = new AsyncLocalStorage();

/** Runs the work; log lines that it writes carry the fields. */
export function withLogContext(fields, work) {
  return context.run({ ...context.getStore(), ...fields }, work);
}

function write(level, message, fields) {
  const { traceId = null, eventId = null, ...others } = { ...context.getStore(), ...fields };
  const line = { time: new Date().toISOString(), level, service: 'payment-service', message, traceId, eventId, ...others };
  process.stdout.write(JSON.stringify(line, (_, value) => (value instanceof Error ? value.message : value)) + '\n');
}

export const log = {
  info: (message, fields) => write('info', message, fields),
  warn: (message, fields) => write('warn', message, fields),
  error: (message, fields) => write('error', message, fields),
};
