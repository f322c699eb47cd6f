"""The settings of the service, from its environment."""
import dataclasses
import os


class ConfigError(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Config:
    port: int
    database_url: str
    kafka: str
    jwks_url: str | None
    otlp_endpoint: str | None
    mail_folder: str
    smtp: str | None
    group: str
    retry_base_seconds: float


def read(env=os.environ):
    return Config(
        port=_number(env, "PORT", 8086),
        database_url=_required(env, "DATABASE_URL", "postgresql://notification:secret@127.0.0.1:5432/notification_db"),
        kafka=_required(env, "KAFKA", "127.0.0.1:9092"),
        jwks_url=env.get("JWKS_URL") or None,
        otlp_endpoint=env.get("OTEL_EXPORTER_OTLP_ENDPOINT") or None,
        mail_folder=env.get("MAIL_FOLDER") or "mails",
        smtp=env.get("SMTP") or None,
        group=env.get("KAFKA_GROUP") or "notification-service",
        retry_base_seconds=_number(env, "RETRY_BASE_MS", 1000) / 1000,
    )


def _required(env, name, example):
    value = env.get(name)
    if not value:
        raise ConfigError(f"{name} is not set. Set it, for example to {example}.")
    return value


def _number(env, name, default):
    text = env.get(name) or str(default)
    if not text.isdigit():
        raise ConfigError(f'{name} must be a whole number of 0 or more, but is "{text}".')
    return int(text)
