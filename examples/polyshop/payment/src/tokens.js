/** Checks access tokens: JWT with RS256, signed by a key of the auth service (JWKS). */
import { createPublicKey, verify } from 'node:crypto';
import { RequestError } from './errors.js';

const ISSUER = 'polyshop-auth';
const AUDIENCES = ['polyshop-public', 'polyshop-internal'];
const LEEWAY_SECONDS = 30;
const KEYS_VALID_MILLIS = 5 * 60_000;
const SHORTEST_REFRESH_MILLIS = 2000;

export class Tokens {
  #keys = new Map();
  #fetchedAt = -Infinity;

  constructor(jwksUrl) {
    this.jwksUrl = jwksUrl;
  }

  /** Returns {userId, roles} of the bearer. Throws a RequestError (401) if the token is not valid. */
  async check(authorization) {
    const match = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization ?? '');
    if (!match || authorization.length > 8192) throw unauthorized('The request needs the header Authorization: Bearer {token}.');
    const [, head, body, signature] = match;
    const header = decode(head);
    const claims = decode(body);
    // The algorithm is fixed: the token must not choose how it is checked.
    if (header.alg !== 'RS256' || typeof header.kid !== 'string') throw unauthorized('The token is not signed with RS256.');
    const key = await this.#key(header.kid);
    if (!key || !verify('RSA-SHA256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))) {
      throw unauthorized('The signature of the token is not valid.');
    }
    const now = Date.now() / 1000;
    if (typeof claims.exp !== 'number' || claims.exp < now - LEEWAY_SECONDS) throw unauthorized('The token has expired.');
    if (claims.nbf !== undefined && !(claims.nbf <= now + LEEWAY_SECONDS)) throw unauthorized('The token is not valid yet.');
    const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
    if (claims.iss !== ISSUER || !audiences.some((audience) => AUDIENCES.includes(audience))) throw unauthorized('The token is for another system.');
    if (typeof claims.sub !== 'string' || claims.sub === '') throw unauthorized('The token names no user.');
    return { userId: claims.sub, roles: Array.isArray(claims.roles) ? claims.roles : [] };
  }

  async #key(kid) {
    const age = Date.now() - this.#fetchedAt;
    if (age > KEYS_VALID_MILLIS || (!this.#keys.has(kid) && age > SHORTEST_REFRESH_MILLIS)) await this.#fetch();
    return this.#keys.get(kid);
  }

  async #fetch() {
    if (!this.jwksUrl) throw new RequestError(503, 'AUTH_UNAVAILABLE', 'JWKS_URL is not set, so tokens cannot be checked.');
    this.#fetchedAt = Date.now();
    try {
      const answer = await fetch(this.jwksUrl, { signal: AbortSignal.timeout(2000) });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const { keys } = await answer.json();
      this.#keys = new Map(
        keys
          .filter((jwk) => jwk.kty === 'RSA' && (jwk.use ?? 'sig') === 'sig')
          .map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })]),
      );
    } catch (e) {
      // Keys that were read before remain valid while the auth service is down.
      if (this.#keys.size === 0) {
        this.#fetchedAt = -Infinity;
        throw new RequestError(503, 'AUTH_UNAVAILABLE', `The keys of the auth service cannot be read: ${e.message}`);
      }
    }
  }
}

function decode(part) {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    if (value !== null && typeof value === 'object') return value;
  } catch {
    // Falls through to the error below.
  }
  throw unauthorized('The token is not a JWT.');
}

function unauthorized(message) {
  return new RequestError(401, 'UNAUTHORIZED', message);
}
