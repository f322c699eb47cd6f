package io.waybill.examples.social;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.waybill.WaybillException;
import io.waybill.admin.OutboxView;
import io.waybill.envelope.Envelope;
import io.waybill.examples.social.projection.Projector;
import io.waybill.examples.social.source.Source;
import io.waybill.kafka.KafkaTransport;
import io.waybill.mongodb.MongoOutboxStore;
import io.waybill.mongodb.OutboxSchema;
import io.waybill.mongodb.inbox.InboxSchema;
import io.waybill.mongodb.inbox.MongoInbox;
import io.waybill.relay.Relay;
import java.time.Duration;
import java.util.List;

/** The whole system on one database and one Kafka. Its parts can also run in processes of their own. */
public final class SocialCommerce implements AutoCloseable {
    static final String PRODUCER = "social-commerce-api";

    private final MongoClient client;
    private final String database;
    private final Source source;
    private final List<Projector> projectors;
    private final KafkaTransport transport;
    private final Relay relay;

    /** Connects, and creates collections, indexes and topics that are missing. Starts nothing. */
    SocialCommerce(String mongoUri, String database, String brokers) throws InterruptedException {
        this.client = MongoClients.create(mongoUri);
        this.database = database;
        this.source = new Source(client, database);
        this.projectors = Projector.all(client, database, brokers);
        OutboxSchema.apply(client, database);
        InboxSchema.apply(client, database);
        projectors.forEach(Projector::createIndexes);
        Topics.create(
                brokers,
                projectors.stream()
                        .flatMap(projector -> projector.topics().stream())
                        .filter(topic -> topic.startsWith("sc.dlq."))
                        .toList());
        this.transport = KafkaTransport.to(brokers);
        // The retries of the design. Its leases of 60 s and pauses of 10 s would make the page slow to follow.
        this.relay = MongoOutboxStore.patient(Relay.builder(MongoOutboxStore.on(client, database), transport))
                .envelope(Envelope.snakeCase(PRODUCER))
                .lease(Duration.ofSeconds(10))
                .idleLimit(Duration.ofMillis(100))
                .build();
    }

    void startRelay() {
        relay.start();
    }

    void startProjectors() {
        projectors.forEach(Projector::start);
    }

    public Source source() {
        return source;
    }

    public MongoDatabase models() {
        return client.getDatabase(database);
    }

    public OutboxView outbox() {
        return MongoOutboxStore.on(client, database).view();
    }

    public MongoInbox inbox() {
        return MongoInbox.on(client, database);
    }

    public List<Projector> projectors() {
        return projectors;
    }

    /** @throws WaybillException if there is no projection of this name */
    public Projector projector(String name) {
        return projectors.stream()
                .filter(projector -> projector.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new WaybillException("There is no projection " + name + ". Choose one of "
                        + String.join(
                                ", ", projectors.stream().map(Projector::name).toList()) + "."));
    }

    @Override
    public void close() {
        projectors.forEach(Projector::close);
        relay.close();
        transport.close();
        client.close();
    }
}
