"""Checks access tokens: JWT with RS256, signed by a key of the auth service (JWKS)."""
import json
import threading
import time
import urllib.request

import jwt

from .errors import RequestError

_ISSUER = "polyshop-auth"
_AUDIENCES = ["polyshop-public", "polyshop-internal"]
_LEEWAY_SECONDS = 30
_KEYS_VALID_SECONDS = 300
_SHORTEST_REFRESH_SECONDS = 2


class Tokens:
    def __init__(self, jwks_url):
        self._url = jwks_url
        self._keys = {}
        self._fetched_at = float("-inf")
        self._lock = threading.Lock()

    def check(self, authorization):
        """Returns the claims of the bearer. Raises a RequestError (401) if the token is not valid."""
        scheme, _, token = (authorization or "").partition(" ")
        if scheme != "Bearer" or not token or len(token) > 8192:
            raise _unauthorized("The request needs the header Authorization: Bearer {token}.")
        try:
            key = self._key(jwt.get_unverified_header(token).get("kid"))
            if key is None:
                raise _unauthorized("The key of the token is unknown.")
            # The algorithm is fixed: the token must not choose how it is checked.
            claims = jwt.decode(
                token,
                key,
                algorithms=["RS256"],
                issuer=_ISSUER,
                audience=_AUDIENCES,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as e:
            raise _unauthorized(f"The token is not valid: {e}") from e
        if not isinstance(claims.get("roles"), list):
            claims["roles"] = []
        return claims

    def require_admin(self, authorization):
        claims = self.check(authorization)
        if "ADMIN" not in claims["roles"]:
            raise RequestError(403, "FORBIDDEN", "This needs the role ADMIN.")
        return claims

    def _key(self, kid):
        with self._lock:
            age = time.monotonic() - self._fetched_at
            if age > _KEYS_VALID_SECONDS or (kid not in self._keys and age > _SHORTEST_REFRESH_SECONDS):
                self._fetch()
            return self._keys.get(kid)

    def _fetch(self):
        if not self._url:
            raise RequestError(503, "AUTH_UNAVAILABLE", "JWKS_URL is not set, so tokens cannot be checked.")
        self._fetched_at = time.monotonic()
        try:
            with urllib.request.urlopen(self._url, timeout=2) as answer:
                keys = json.load(answer)["keys"]
            self._keys = {
                key["kid"]: jwt.PyJWK(key, "RS256").key
                for key in keys
                if key.get("kty") == "RSA" and key.get("use", "sig") == "sig"
            }
        except (OSError, ValueError, KeyError, jwt.PyJWTError) as e:
            # Keys that were read before remain valid while the auth service is down.
            if not self._keys:
                self._fetched_at = float("-inf")
                raise RequestError(503, "AUTH_UNAVAILABLE", f"The keys of the auth service cannot be read: {e}") from e


def _unauthorized(message):
    return RequestError(401, "UNAUTHORIZED", message)
