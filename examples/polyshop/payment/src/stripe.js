/** The signature of the provider's webhooks: t={unix seconds},v1={HMAC-SHA256 of "t.body"}. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

export function sign(body, secret, seconds = Math.floor(Date.now() / 1000)) {
  return `t=${seconds},v1=${mac(body, secret, seconds)}`;
}

/** Whether the header is a signature of this body that is at most five minutes old. */
export function verify(body, header, secret, now = Math.floor(Date.now() / 1000)) {
  if (typeof header !== 'string' || header.length > 1000) return false;
  const parts = header.split(',').map((part) => part.trim().split('=', 2));
  const seconds = parts.find(([name]) => name === 't')?.[1];
  if (!/^\d{1,12}$/.test(seconds ?? '') || Math.abs(now - Number(seconds)) > TOLERANCE_SECONDS) return false;
  const expected = Buffer.from(mac(body, secret, seconds), 'hex');
  // The provider sends one signature for each of its secrets while it replaces a secret.
  return parts
    .filter(([name, value]) => name === 'v1' && /^[0-9a-f]{64}$/.test(value ?? ''))
    .some(([, value]) => timingSafeEqual(Buffer.from(value, 'hex'), expected));
}

function mac(body, secret, seconds) {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
}
