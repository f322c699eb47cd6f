/** The settings of the service, from its environment. */

function number(env, name, fallback) {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`${name} must be a whole number of 0 or more, but is "${text}".`);
  return value;
}

function required(env, name, example) {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set. Set it, for example to ${example}.`);
  return value;
}

export function readConfig(env = process.env) {
  const port = number(env, 'PORT', 8085);
  return {
    port,
    databaseUrl: required(env, 'DATABASE_URL', 'postgresql://payment:secret@127.0.0.1:5432/payment_db'),
    kafka: required(env, 'KAFKA', '127.0.0.1:9092').split(','),
    jwksUrl: env.JWKS_URL || null,
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT || null,
    webhookSecret: required(env, 'STRIPE_WEBHOOK_SECRET', 'whsec_… (any text of at least 16 characters)'),
    group: env.KAFKA_GROUP || 'payment-service',
    retryBaseMillis: number(env, 'RETRY_BASE_MS', 1000),
    refuses: env.FAULT_PAYMENT_REFUSES === 'true',
  };
}
