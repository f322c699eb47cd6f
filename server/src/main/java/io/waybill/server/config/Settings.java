package io.waybill.server.config;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.JdbcQueue.OnSuccess;
import io.waybill.relay.OnDeadLetter;
import io.waybill.relay.RelayBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** All settings. Flags, environment variables, file keys, help texts, suggestions and docs/operating.md are derived from this table. */
public final class Settings {
    public static final Setting<String> DATABASE_URL = text(
                    "database.url",
                    null,
                    "URL",
                    "Database of the outbox: jdbc:postgresql://host:port/name, jdbc:mariadb:…, jdbc:mysql:… or jdbc:h2:…")
            .withFlag("--database");
    public static final Setting<String> DATABASE_USER = text("database.user", null, "NAME", "Database user.");
    public static final Setting<String> DATABASE_PASSWORD = text(
                    "database.password",
                    null,
                    "TEXT",
                    "Database password. Prefer the environment variable: other users can see flags.")
            .asSecret();
    public static final Setting<Integer> DATABASE_POOL_SIZE =
            number("database.pool-size", 12, 2, 1_000, "Maximum number of connections of a relay.");

    public static final Setting<Engine> ENGINE = choice(
            "engine",
            null,
            Engine.class,
            "Storage engine of the outbox. If not set: the engine of the installed tables; for new tables, journal on PostgreSQL and queue elsewhere.");

    public static final Setting<String> LAYOUT = text(
            "layout",
            null,
            "NAME|FILE",
            "Serve an existing outbox table that this layout describes. `waybill layout list` shows the built-in layouts.");

    public static final Setting<String> BROKER_URL = text(
                    "broker.url",
                    null,
                    "URL",
                    "Broker: kafka://host:port[,host:port…], rabbitmq://user:password@host/vhost or nats://host:port.")
            .withFlag("--broker");

    /** Settings below this key are passed unchanged to the client of the broker. */
    static final String BROKER_SETTINGS = "broker.settings";

    public static final String BROKER_SETTING_FLAG = "--broker-setting";

    public static final Setting<String> RELAY_NAME = text(
            "relay.name",
            null,
            "NAME",
            "Name of the relay; a random suffix makes it unique. If not set: host and process id.");
    public static final Setting<String> RELAY_SOURCE = text(
            "relay.source",
            "waybill",
            "NAME",
            "The \"source\" in the envelope of events that have no source of their own.");
    public static final Setting<Integer> RELAY_BATCH_SIZE = number(
            "relay.batch-size",
            RelayBuilder.DEFAULT_BATCH_SIZE,
            1,
            10_000,
            "Maximum number of events that one claim takes from a lane.");
    public static final Setting<Integer> RELAY_CLAIM_BYTES = new Setting<>(
            "relay.claim-bytes",
            Setting.flagName("relay.claim-bytes"),
            null,
            Sizes.EXPECTS,
            Sizes::parse,
            "SIZE",
            "Maximum payload bytes that one claim holds in memory. If not set: a sixteenth of the heap divided by the number of"
                    + " workers, at most 32 MiB.",
            false);
    public static final Setting<Integer> RELAY_WORKERS = number(
            "relay.workers",
            RelayBuilder.DEFAULT_WORKERS,
            1,
            64,
            "Number of worker threads. Each serves one lane, or all lanes with few events together.");
    public static final Setting<Duration> RELAY_POLL_EVERY = duration(
            "relay.poll-every",
            Durations.print(RelayBuilder.DEFAULT_POLL_EVERY),
            "Pause between two polls while events are found.");
    public static final Setting<Duration> RELAY_IDLE_LIMIT = duration(
            "relay.idle-limit",
            Durations.print(RelayBuilder.DEFAULT_IDLE_LIMIT),
            "Longest pause of an idle relay between two polls.");
    public static final Setting<Duration> RELAY_LEASE = duration(
            "relay.lease",
            Durations.print(RelayBuilder.DEFAULT_LEASE),
            "Other relays take over the lanes of a relay that has sent no heartbeat for this long.");
    public static final Setting<Integer> RELAY_MAX_ATTEMPTS = number(
            "relay.max-attempts",
            RelayBuilder.DEFAULT_RETRY.maxAttempts(),
            1,
            1_000_000,
            "Number of failed attempts after which an event becomes a dead letter.");
    public static final Setting<Duration> RELAY_FIRST_RETRY_DELAY = duration(
            "relay.first-retry-delay",
            Durations.print(RelayBuilder.DEFAULT_RETRY.firstDelay()),
            "Delay before the first retry; doubles with every further failure.");
    public static final Setting<Duration> RELAY_LONGEST_RETRY_DELAY = duration(
            "relay.longest-retry-delay",
            Durations.print(RelayBuilder.DEFAULT_RETRY.longestDelay()),
            "Longest delay between two attempts.");
    public static final Setting<OnDeadLetter> RELAY_ON_DEAD_LETTER = choice(
            "relay.on-dead-letter",
            OnDeadLetter.CONTINUE,
            OnDeadLetter.class,
            "Whether later events of a key are published after a dead letter (continue) or wait until an operator decides (block).");
    public static final Setting<OnSuccess> RELAY_ON_SUCCESS = choice(
            "relay.on-success",
            OnSuccess.MARK,
            OnSuccess.class,
            "Whether a published event is kept for the retention time (mark) or deleted at once (delete; queue engine only).");
    public static final Setting<Duration> RELAY_RETENTION = duration(
            "relay.retention",
            Durations.print(RelayBuilder.DEFAULT_EVENT_RETENTION),
            "Time for which published events are kept.");

    public static final Setting<Integer> OUTBOX_MAX_PAYLOAD = new Setting<>(
            "outbox.max-payload",
            Setting.flagName("outbox.max-payload"),
            Sizes.print(JdbcOutbox.DEFAULT_MAX_PAYLOAD_BYTES),
            Sizes.EXPECTS,
            Sizes::parse,
            "SIZE",
            "Largest payload that `waybill append` accepts.",
            false);

    public static final Setting<String> HTTP_HOST = text(
            "http.host",
            "127.0.0.1",
            "ADDRESS",
            "Address on which the HTTP server listens. An address beyond loopback also needs http.sign-in, http.host-names, and TLS or http.behind-proxy.");
    public static final Setting<Integer> HTTP_PORT = number(
            "http.port", 0, 0, 65_535, "Port of the HTTP server; 0 means 8080, or any free port if 8080 is in use.");
    public static final Setting<String> HTTP_HOST_NAMES = text(
            "http.host-names",
            null,
            "NAMES",
            "Host names, separated by commas, under which browsers and programs reach the HTTP server. Requests for other names are refused; names of the loopback interface are always accepted.");
    public static final Setting<Boolean> HTTP_BEHIND_PROXY = flag(
            "http.behind-proxy",
            "Whether a proxy in front of the HTTP server encrypts the connections, keeps the Host header and appends the address of the client to X-Forwarded-For.");
    public static final Setting<Path> HTTP_TLS_CERTIFICATE = file(
            "http.tls-certificate",
            null,
            "Certificate chain as PEM, or a PKCS#12 key store that contains the certificate and its key. Switches TLS on.");
    public static final Setting<Path> HTTP_TLS_KEY =
            file("http.tls-key", null, "Private key of the certificate as PEM (PKCS#8), if it is not in a key store.");
    public static final Setting<String> HTTP_TLS_PASSWORD = text(
                    "http.tls-password", null, "TEXT", "Password of the key store.")
            .asSecret();
    public static final Setting<SignIn> HTTP_SIGN_IN = choice(
            "http.sign-in",
            SignIn.NONE,
            SignIn.class,
            "How users sign in: not at all (loopback only), with a password of the users file, or with a bearer token (JWT).");
    public static final Setting<Path> HTTP_USERS = file(
            "http.users",
            "waybill-users",
            "File with the users and their hashed passwords. `waybill users` changes it.");
    public static final Setting<Duration> HTTP_SESSION_IDLE =
            duration("http.session-idle", "30m", "A session ends when it is not used for this long.");
    public static final Setting<Duration> HTTP_SESSION_LIMIT =
            duration("http.session-limit", "12h", "A session ends this long after the sign-in.");
    public static final Setting<String> HTTP_TOKEN_ISSUER =
            text("http.token-issuer", null, "TEXT", "The issuer (iss) of accepted tokens.");
    public static final Setting<String> HTTP_TOKEN_AUDIENCE =
            text("http.token-audience", null, "TEXT", "The audience (aud) that accepted tokens must contain.");
    public static final Setting<String> HTTP_TOKEN_KEYS =
            text("http.token-keys", null, "URL", "Address of the issuer's public keys (a JWK set).");
    public static final Setting<String> HTTP_TOKEN_ALGORITHMS = text(
            "http.token-algorithms",
            "RS256,ES256",
            "NAMES",
            "Accepted signature algorithms, separated by commas: RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512.");
    public static final Setting<String> HTTP_TOKEN_USER = text(
            "http.token-user",
            "sub",
            "CLAIM",
            "Claim with the name of the user, which audit rows contain as the actor.");
    public static final Setting<String> HTTP_TOKEN_ROLES = text(
            "http.token-roles",
            "roles",
            "CLAIM",
            "Claim with the roles of the user: viewer, operator or admin, with or without the prefix waybill-. A path such as realm_access.roles names a nested claim.");
    public static final Setting<Integer> HTTP_PROBE_PORT = number(
            "http.probe-port",
            0,
            0,
            65_535,
            "Port of a second HTTP server that only has /livez, /readyz and /metrics, for any host name and without sign-in; 0 means none.");
    public static final Setting<String> HTTP_PROBE_HOST = text(
            "http.probe-host",
            null,
            "ADDRESS",
            "Address on which the second HTTP server listens. If not set: http.host.");

    public static final Setting<String> CONSOLE_NAME = text(
            "console.name", null, "TEXT", "Name of this instance, which the console shows. If not set: the host name.");
    public static final Setting<Boolean> CONSOLE_READ_ONLY =
            flag("console.read-only", "Whether the HTTP API refuses all actions.");
    public static final Setting<Boolean> CONSOLE_EDIT =
            flag("console.edit", "Whether admins may publish corrected copies of events.");
    public static final Setting<String> CONSOLE_MASK = text(
            "console.mask",
            null,
            "PATHS",
            "JSON paths, separated by commas, whose values the HTTP API replaces in payloads: $.card.number, $.items[*].iban, $..secret.");

    public static final Setting<LogFormat> LOG_FORMAT = choice(
            "log.format", LogFormat.TEXT, LogFormat.class, "Format of log lines: text, or one JSON object per line.");

    public static final Setting<Path> DATA_DIR = new Setting<>(
            "data-dir",
            "--data-dir",
            null,
            "a path",
            Path::of,
            "FOLDER",
            "Data folder of `waybill up` (default: .waybill/data).",
            false);

    private static final List<Setting<?>> ALL = List.of(
            DATABASE_URL,
            DATABASE_USER,
            DATABASE_PASSWORD,
            DATABASE_POOL_SIZE,
            ENGINE,
            LAYOUT,
            BROKER_URL,
            RELAY_NAME,
            RELAY_SOURCE,
            RELAY_BATCH_SIZE,
            RELAY_CLAIM_BYTES,
            RELAY_WORKERS,
            RELAY_POLL_EVERY,
            RELAY_IDLE_LIMIT,
            RELAY_LEASE,
            RELAY_MAX_ATTEMPTS,
            RELAY_FIRST_RETRY_DELAY,
            RELAY_LONGEST_RETRY_DELAY,
            RELAY_ON_DEAD_LETTER,
            RELAY_ON_SUCCESS,
            RELAY_RETENTION,
            OUTBOX_MAX_PAYLOAD,
            HTTP_HOST,
            HTTP_PORT,
            HTTP_HOST_NAMES,
            HTTP_BEHIND_PROXY,
            HTTP_TLS_CERTIFICATE,
            HTTP_TLS_KEY,
            HTTP_TLS_PASSWORD,
            HTTP_SIGN_IN,
            HTTP_USERS,
            HTTP_SESSION_IDLE,
            HTTP_SESSION_LIMIT,
            HTTP_TOKEN_ISSUER,
            HTTP_TOKEN_AUDIENCE,
            HTTP_TOKEN_KEYS,
            HTTP_TOKEN_ALGORITHMS,
            HTTP_TOKEN_USER,
            HTTP_TOKEN_ROLES,
            HTTP_PROBE_PORT,
            HTTP_PROBE_HOST,
            CONSOLE_NAME,
            CONSOLE_READ_ONLY,
            CONSOLE_EDIT,
            CONSOLE_MASK,
            LOG_FORMAT,
            DATA_DIR);

    private Settings() {}

    public static List<Setting<?>> all() {
        return ALL;
    }

    static Optional<Setting<?>> find(String key) {
        return ALL.stream().filter(setting -> setting.key().equals(key)).findFirst();
    }

    static Setting<String> text(String key, @Nullable String defaultValue, String label, String description) {
        return new Setting<>(
                key, Setting.flagName(key), defaultValue, "text", Settings::nonBlank, label, description, false);
    }

    private static Setting<Integer> number(String key, int defaultValue, int least, int most, String description) {
        String expects = "a whole number from " + least + " to " + most;
        return new Setting<>(
                key,
                Setting.flagName(key),
                Integer.toString(defaultValue),
                expects,
                value -> {
                    int number = Integer.parseInt(value.replace("_", ""));
                    if (number < least || number > most) {
                        throw new IllegalArgumentException(value);
                    }
                    return number;
                },
                "N",
                description,
                false);
    }

    private static Setting<Boolean> flag(String key, String description) {
        return new Setting<>(
                key,
                Setting.flagName(key),
                "false",
                "true or false",
                value -> switch (value.strip().toLowerCase(Locale.ROOT)) {
                    case "true" -> true;
                    case "false" -> false;
                    default -> throw new IllegalArgumentException(value);
                },
                "true|false",
                description,
                false);
    }

    private static Setting<Path> file(String key, @Nullable String defaultValue, String description) {
        return new Setting<>(
                key,
                Setting.flagName(key),
                defaultValue,
                "a path",
                value -> Path.of(nonBlank(value)),
                "FILE",
                description,
                false);
    }

    private static Setting<Duration> duration(String key, String defaultValue, String description) {
        return new Setting<>(
                key,
                Setting.flagName(key),
                defaultValue,
                Durations.EXPECTS,
                Durations::parse,
                "DURATION",
                description,
                false);
    }

    private static <E extends Enum<E>> Setting<E> choice(
            String key, @Nullable E defaultValue, Class<E> type, String description) {
        List<String> names = List.of(type.getEnumConstants()).stream()
                .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                .toList();
        return new Setting<>(
                key,
                Setting.flagName(key),
                defaultValue == null ? null : defaultValue.name().toLowerCase(Locale.ROOT),
                String.join(" or ", names),
                value -> Enum.valueOf(type, value.toUpperCase(Locale.ROOT)),
                String.join("|", names),
                description,
                false);
    }

    private static String nonBlank(String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException("empty");
        }
        return value;
    }
}
