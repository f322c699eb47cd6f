CREATE TABLE IF NOT EXISTS users (
    id            uuid        PRIMARY KEY,
    email         text        NOT NULL,
    password_hash text        NOT NULL,
    name          text        NOT NULL,
    verified      boolean     NOT NULL DEFAULT false,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX IF NOT EXISTS users_email ON users (lower(email));

CREATE TABLE IF NOT EXISTS roles (name text PRIMARY KEY);
INSERT INTO roles (name) VALUES ('USER'), ('ADMIN') ON CONFLICT DO NOTHING;

CREATE TABLE IF NOT EXISTS user_roles (
    user_id uuid NOT NULL REFERENCES users (id),
    role    text NOT NULL REFERENCES roles (name),
    PRIMARY KEY (user_id, role)
);

-- One row for each token that was issued. Tokens of one login have one session.
CREATE TABLE IF NOT EXISTS refresh_tokens (
    id         uuid        PRIMARY KEY,
    user_id    uuid        NOT NULL REFERENCES users (id),
    session_id uuid        NOT NULL,
    token_hash text        NOT NULL UNIQUE,
    used       boolean     NOT NULL DEFAULT false,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS refresh_tokens_session ON refresh_tokens (session_id);

-- Tokens that verify an address or reset a password.
CREATE TABLE IF NOT EXISTS one_time_tokens (
    token_hash text        PRIMARY KEY,
    user_id    uuid        NOT NULL REFERENCES users (id),
    purpose    text        NOT NULL,
    expires_at timestamptz NOT NULL
);

-- The key that signs access tokens, as a JWK with its private part.
CREATE TABLE IF NOT EXISTS signing_keys (
    kid        text        PRIMARY KEY,
    jwk        text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
