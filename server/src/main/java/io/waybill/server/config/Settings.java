package io.waybill.server.config;

import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.JdbcQueue.OnSuccess;
import io.waybill.relay.OnDeadLetter;
import io.waybill.relay.RelayBuilder;
import io.waybill.relay.RetryPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The table of settings. Flags, environment names, file keys, help texts and suggestions all come from here. */
public final class Settings {
    public static final Setting<String> DATABASE_URL = text(
                    "database.url",
                    null,
                    "URL",
                    "The database with the outbox: jdbc:postgresql://host:port/name, jdbc:mariadb:…, jdbc:mysql:… or jdbc:h2:…")
            .withFlag("--database");
    public static final Setting<String> DATABASE_USER = text("database.user", null, "NAME", "User of the database.");
    public static final Setting<String> DATABASE_PASSWORD = text(
                    "database.password",
                    null,
                    "TEXT",
                    "Password of that user; better in the environment than in a flag.")
            .asSecret();
    public static final Setting<Integer> DATABASE_POOL_SIZE =
            number("database.pool-size", 12, 2, 1_000, "Most connections that a relay keeps open.");

    public static final Setting<Engine> ENGINE = choice(
            "engine",
            null,
            Engine.class,
            "How the outbox is kept. If not set: as its tables are, and for new ones journal, or queue if not PostgreSQL.");

    public static final Setting<String> LAYOUT = text(
            "layout",
            null,
            "NAME|FILE",
            "Serve a table that is there already, as this layout describes it; `waybill layout list` shows those that come along.");

    public static final Setting<String> BROKER_URL = text(
                    "broker.url",
                    null,
                    "URL",
                    "The broker: kafka://host:port[,host:port…], rabbitmq://user:password@host/vhost or nats://host:port.")
            .withFlag("--broker");

    /** Everything below this key goes to the broker's client as it is. */
    static final String BROKER_SETTINGS = "broker.settings";

    public static final String BROKER_SETTING_FLAG = "--broker-setting";

    public static final Setting<String> RELAY_NAME = text(
            "relay.name",
            null,
            "NAME",
            "What to call this relay; a random part makes it unique. Made up from host and process if not set.");
    public static final Setting<String> RELAY_SOURCE = text(
            "relay.source", "waybill", "NAME", "The \"source\" of the envelope for events that name none themselves.");
    public static final Setting<Integer> RELAY_BATCH_SIZE = number(
            "relay.batch-size",
            RelayBuilder.DEFAULT_BATCH_SIZE,
            1,
            10_000,
            "Most events of a lane that are claimed at once.");
    public static final Setting<Integer> RELAY_CLAIM_BYTES = new Setting<>(
            "relay.claim-bytes",
            Setting.flagName("relay.claim-bytes"),
            null,
            Sizes.EXPECTS,
            Sizes::parse,
            "SIZE",
            "Most bytes of payloads that one claim holds in memory. If not set: a sixteenth of the heap divided by the workers,"
                    + " at most 32 MiB.",
            false);
    public static final Setting<Integer> RELAY_WORKERS =
            number("relay.workers", RelayBuilder.DEFAULT_WORKERS, 1, 64, "Lanes that are worked at the same time.");
    public static final Setting<Duration> RELAY_POLL_EVERY = duration(
            "relay.poll-every",
            Durations.print(RelayBuilder.DEFAULT_POLL_EVERY),
            "Pause before an idle relay looks for events again.");
    public static final Setting<Duration> RELAY_IDLE_LIMIT = duration(
            "relay.idle-limit",
            Durations.print(RelayBuilder.DEFAULT_IDLE_LIMIT),
            "The pause of an idle relay grows up to this.");
    public static final Setting<Duration> RELAY_LEASE = duration(
            "relay.lease",
            Durations.print(RelayBuilder.DEFAULT_LEASE),
            "After this long without a heartbeat others take a relay's lanes over.");
    public static final Setting<Integer> RELAY_MAX_ATTEMPTS = number(
            "relay.max-attempts",
            RetryPolicy.DEFAULT.maxAttempts(),
            1,
            1_000_000,
            "Failed attempts after which an event becomes a dead letter.");
    public static final Setting<Duration> RELAY_FIRST_RETRY_DELAY = duration(
            "relay.first-retry-delay",
            Durations.print(RetryPolicy.DEFAULT.firstDelay()),
            "Pause after the first failure; doubles with every further one.");
    public static final Setting<Duration> RELAY_LONGEST_RETRY_DELAY = duration(
            "relay.longest-retry-delay",
            Durations.print(RetryPolicy.DEFAULT.longestDelay()),
            "The pause between attempts grows up to this.");
    public static final Setting<OnDeadLetter> RELAY_ON_DEAD_LETTER = choice(
            "relay.on-dead-letter",
            OnDeadLetter.CONTINUE,
            OnDeadLetter.class,
            "Whether later events of a key go on after a dead letter, or wait for a person.");
    public static final Setting<OnSuccess> RELAY_ON_SUCCESS = choice(
            "relay.on-success",
            OnSuccess.MARK,
            OnSuccess.class,
            "Whether a published event stays, marked, for the retention time, or is deleted at once (queue engine only).");
    public static final Setting<Duration> RELAY_RETENTION = duration(
            "relay.retention", Durations.print(RelayBuilder.DEFAULT_RETENTION), "How long published events are kept.");

    public static final Setting<Integer> OUTBOX_MAX_PAYLOAD = new Setting<>(
            "outbox.max-payload",
            Setting.flagName("outbox.max-payload"),
            Sizes.print(JdbcOutbox.DEFAULT_MAX_PAYLOAD_BYTES),
            Sizes.EXPECTS,
            Sizes::parse,
            "SIZE",
            "Largest payload that append accepts.",
            false);

    public static final Setting<String> HTTP_HOST =
            text("http.host", "127.0.0.1", "ADDRESS", "Where the HTTP server listens; loopback addresses only.");
    public static final Setting<Integer> HTTP_PORT = number(
            "http.port", 0, 0, 65_535, "Port of the HTTP server; 0 takes 8080 if that is free, else any free one.");

    public static final Setting<Path> DATA_DIR = new Setting<>(
            "data-dir",
            "--data-dir",
            null,
            "a path",
            Path::of,
            "FOLDER",
            "Where `waybill up` keeps its servers' data (default: .waybill/data).",
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
