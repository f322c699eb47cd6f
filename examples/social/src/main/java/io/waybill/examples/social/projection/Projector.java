package io.waybill.examples.social.projection;

import static com.mongodb.client.model.Filters.eq;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import io.waybill.Event;
import io.waybill.WaybillException;
import io.waybill.examples.social.source.Catalogue;
import io.waybill.examples.social.source.Source;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxListener;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.VersionGuard;
import io.waybill.kafka.KafkaInbox;
import io.waybill.mongodb.MongoOutbox;
import io.waybill.mongodb.inbox.MongoInbox;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one projection: a Kafka consumer whose inbox marks each event and changes the read models in one transaction. */
public final class Projector implements AutoCloseable {
    /** Longer than the 30 days for which the topic of orders keeps events, and a day for the segment. */
    private static final Duration RETENTION = Duration.ofDays(35);

    /** How long an event waits for the version before it, for example because that one is a dead letter. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** A member that crashed leaves its group after this time. Kafka's default is 45 s. */
    private static final int SESSION_MILLIS = 6_000;

    /** What the inbox stores about a group. */
    private static final List<String> INBOX =
            List.of("processed_events", "inbox_versions", "inbox_held", "inbox_dead_letters");

    private static final Logger LOG = LoggerFactory.getLogger(Projector.class);

    private final MongoDatabase database;
    private final MongoInbox store;
    private final Source source;
    private final String brokers;
    private final Projection projection;
    private @Nullable KafkaInbox consumer;

    private Projector(MongoClient client, String database, String brokers, Projection projection) {
        this.database = client.getDatabase(database);
        this.store = MongoInbox.on(client, database);
        this.source = new Source(client, database);
        this.brokers = brokers;
        this.projection = projection;
    }

    /** Returns one projector for each consumer group of the design. */
    public static List<Projector> all(MongoClient client, String database, String brokers) {
        MongoDatabase models = client.getDatabase(database);
        List<Projection> sources = List.of(
                new UserCards(models),
                new FeedItems(models),
                new OrderSummaries(models),
                new OrderFunnel(models),
                new Revenue(models));
        List<String> topics =
                sources.stream().map(Projection::deadLetterTopic).distinct().toList();
        return Stream.concat(sources.stream(), Stream.of(new DeadLetterArchive(models, topics)))
                .map(projection -> new Projector(client, database, brokers, projection))
                .toList();
    }

    public String name() {
        return projection.name();
    }

    public String group() {
        return projection.group();
    }

    /** Whether {@link #backfill} is possible. */
    public boolean copiesSource() {
        return projection.copiesSource();
    }

    /** Topics that this group reads. */
    public List<String> topics() {
        return projection.topics();
    }

    public void createIndexes() {
        projection.models().forEach(ReadModel::createIndexes);
    }

    public synchronized void start() {
        KafkaInbox started = KafkaInbox.builder(brokers, inbox(PATIENCE))
                .topics(projection.topics())
                .setting("session.timeout.ms", SESSION_MILLIS)
                .workers(projection.ordered() ? 2 : 1) // all events of a day change one row
                .build();
        started.start();
        consumer = started;
    }

    /**
     * Returns a new inbox with the handlers of this group. The caller closes it.
     *
     * @param patience how long an event waits for the version before it
     */
    public Inbox<ClientSession> inbox(Duration patience) {
        InboxBuilder<ClientSession> builder = store.builder(projection.group())
                .versions(projection.ordered() ? VersionGuard.strict(patience) : VersionGuard.OFF)
                .retention(RETENTION)
                .listener(new UnknownTypes(projection.group()));
        projection.eventTypes().forEach(type -> builder.on(type, projection::apply));
        if (!projection.deadLetterTopic().isEmpty()) {
            builder.deadLettersTo(new DeadLetterTopic(MongoOutbox.in(database), projection.deadLetterTopic()));
        }
        return builder.build();
    }

    /** Types that the design does not name come from newer producers. */
    private record UnknownTypes(String group) implements InboxListener {
        @Override
        public void handled(Event event, InboxOutcome outcome, Duration took) {
            if (outcome == InboxOutcome.SKIPPED && !Catalogue.knows(event.type())) {
                LOG.warn("Group {} skipped event {}: its type is unknown", group, event);
            }
        }
    }

    /** Empties the read models and reads the topics from their beginning. */
    public synchronized void rebuild() {
        restart(() -> {});
    }

    /**
     * Empties the read models and fills them from the source. This also works when the topics no longer contain the first events.
     *
     * @throws WaybillException if this projection counts events; nothing has changed then
     */
    public synchronized void backfill() {
        if (!projection.copiesSource()) {
            throw new WaybillException("Cannot fill " + projection.name()
                    + " from the source: it counts events, and the source stores only the last state of each entity."
                    + " Rebuild it from the topics instead.");
        }
        restart(() -> projection.copy(new SourceCopy(source, store.store(), projection.group())));
    }

    private void restart(Runnable fill) {
        boolean running = stop();
        try {
            forget();
            fill.run();
        } finally {
            if (running) {
                start();
            }
        }
    }

    /**
     * Sets the group back to the beginning of its topics, then empties its read models and its inbox in one transaction. If the process
     * crashes in between, the group reads its topics again, and all events are duplicates.
     */
    private void forget() {
        resetOffsets();
        store.store().transaction("forget group " + projection.group(), session -> {
            projection.models().forEach(model -> model.clear(session));
            INBOX.forEach(
                    name -> database.getCollection(name).deleteMany(session, eq("consumer_group", projection.group())));
            return projection.group();
        });
    }

    /** Kafka refuses while the group has a member. A member that crashed stays until its session ends. */
    private void resetOffsets() {
        long end = System.nanoTime() + Duration.ofMillis(2L * SESSION_MILLIS).toNanos();
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers))) {
            while (!deleteGroup(admin)) {
                if (System.nanoTime() > end) {
                    throw new WaybillException("Cannot empty " + projection.name() + ": another process runs group "
                            + projection.group() + ". Stop it first.");
                }
                Thread.sleep(200);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaybillException("Interrupted while resetting group " + projection.group() + ".", e);
        }
    }

    private boolean deleteGroup(Admin admin) throws InterruptedException {
        try {
            admin.deleteConsumerGroups(List.of(projection.group())).all().get();
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupNotEmptyException) {
                return false;
            }
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return true;
            }
            throw new WaybillException(
                    "Cannot reset the offsets of group " + projection.group() + ": " + e.getCause(), e);
        }
    }

    private boolean stop() {
        KafkaInbox running = consumer;
        consumer = null;
        if (running != null) {
            running.close();
        }
        return running != null;
    }

    @Override
    public synchronized void close() {
        stop();
    }
}
