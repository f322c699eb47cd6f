package io.waybill.bench.saga;

import io.waybill.bench.contest.BenchServers;
import io.waybill.bench.contest.Schema;
import io.waybill.bench.measure.DeliveryCheck;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.PostgresJournal;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.jdbc.saga.JdbcCommandStore;
import io.waybill.jdbc.saga.JdbcSagaStore;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.kafka.KafkaInbox;
import io.waybill.kafka.KafkaTransport;
import io.waybill.relay.Relay;
import io.waybill.saga.Command;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaListener;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.Sagas;
import io.waybill.saga.participant.Answer;
import io.waybill.saga.participant.SagaParticipant;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;

/** Waybill's engine, inbox, outbox and relay with their default settings. */
public final class WaybillSagas implements SagaContestant {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final LongAdder ended = new LongAdder();
    private final JdbcOutbox outbox = JdbcOutbox.create();
    private final Schema shop;
    private final Schema participant;
    private final Saga<Order> saga;
    private final Sagas<Connection> sagas;

    /** @param number of an order, and a text of the size that an order usually has */
    record Order(String number, String text) {}

    private WaybillSagas(BenchServers servers, SagaSetUp setUp) throws Exception {
        try {
            String run = "saga" + System.nanoTime();
            List<String> topics = new ArrayList<>();
            for (int step = 1; step <= STEPS; step++) {
                topics.add(run + ".do." + step);
                topics.add(run + ".done." + step);
            }
            open.push(SagaTopics.create(servers.bootstrap(), topics));
            shop = schema(servers, "saga_shop");
            participant = schema(servers, "saga_participant");
            participant.execute(Ledger.TABLE);
            saga = definition(run);
            setUp.fill(shop, saga.name());
            sagas = Sagas.builder(JdbcSagaStore.on(shop.dataSource()), outbox)
                    .add(saga)
                    .listener(new SagaListener() {
                        @Override
                        public void ended(UUID id, String name, String key, SagaStatus status, Duration took) {
                            ended.increment();
                        }
                    })
                    .build();
            run(servers, participant, execute(run));
            run(servers, shop, sagas.handleRepliesWith(inbox(shop, "shop")));
            sagas.start();
            open.push(sagas);
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** Starts the engine, the relays and the consumers. */
    public static SagaContestant start(BenchServers servers, SagaSetUp setUp) throws Exception {
        return new WaybillSagas(servers, setUp);
    }

    private Schema schema(BenchServers servers, String name) throws SQLException {
        Schema schema = Schema.create(servers.jdbcUrl(), name);
        open.push(schema);
        open.push(schema::drop);
        OutboxSchema.apply(schema.dataSource());
        InboxSchema.apply(schema.dataSource());
        SagaSchema.apply(schema.dataSource());
        return schema;
    }

    private static Saga<Order> definition(String run) {
        return Saga.named("bench", Order.class)
                .step("first")
                .command(order -> Command.to(run + ".do.1", order.number(), order))
                .onReply(run + ".done.1")
                .timeout(Duration.ofMinutes(10))
                .compensation(order -> Command.to(run + ".undo.1", order.number(), order))
                .then("second")
                .command(order -> Command.to(run + ".do.2", order.number(), order))
                .onReply(run + ".done.2")
                .timeout(Duration.ofMinutes(10))
                .pivot()
                .then("third")
                .command(order -> Command.to(run + ".do.3", order.number(), order))
                .onReply(run + ".done.3")
                .timeout(Duration.ofMinutes(10))
                .retriable()
                .build();
    }

    private static InboxBuilder<Connection> inbox(Schema schema, String group) {
        return Inbox.builder(JdbcInbox.on(schema.dataSource()).store(), group);
    }

    private InboxBuilder<Connection> execute(String run) {
        SagaParticipant<Connection> executor =
                SagaParticipant.of("participant", JdbcCommandStore.on(participant.dataSource()), outbox);
        InboxBuilder<Connection> inbox = inbox(participant, "participant");
        for (int step = 1; step <= STEPS; step++) {
            int number = step;
            inbox.on(run + ".do." + step, executor.command((connection, command) -> {
                Ledger.add(connection, command.key(), number);
                return Answer.done(run + ".done." + number, command.key(), Map.of("step", number));
            }));
        }
        return inbox;
    }

    private void run(BenchServers servers, Schema schema, InboxBuilder<Connection> inbox) {
        KafkaTransport transport = KafkaTransport.to(servers.bootstrap());
        open.push(transport);
        Relay relay = Relay.builder(PostgresJournal.on(schema.dataSource()).store(), transport)
                .build();
        open.push(relay);
        relay.start();
        KafkaInbox consumer =
                KafkaInbox.builder(servers.bootstrap(), inbox.build()).build();
        open.push(consumer);
        consumer.start();
    }

    @Override
    public void start(int number) throws SQLException {
        try (Connection connection = shop.connect()) {
            connection.setAutoCommit(false);
            String key = Integer.toString(number);
            sagas.start(connection, saga, key, new Order(key, SagaSetUp.TEXT));
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    @Override
    public long ended() {
        return ended.sum();
    }

    @Override
    public double commits() throws SQLException {
        return shop.writingTransactions();
    }

    @Override
    public DeliveryCheck check(int sagas) throws SQLException {
        return Ledger.check(participant, sagas);
    }

    @Override
    public void close() {
        SagaSetUp.closeAll(open);
    }
}
