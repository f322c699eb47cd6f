package io.waybill.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.Outbox;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.envelope.Envelope;
import io.waybill.inbox.FollowUps;
import io.waybill.inbox.Handler;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxBuilder;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.InboxTracer;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.JdbcOutbox;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.inbox.JdbcInbox;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutSchema;
import io.waybill.kafka.KafkaInbox;
import io.waybill.kafka.KafkaTransport;
import io.waybill.relay.Relay;
import io.waybill.retry.RetryPolicy;
import io.waybill.testkit.servers.SharedServers;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** From the span that appends an event, over PostgreSQL and Kafka, to the follow-up events of its handlers. */
class TracedDeliveryTest {
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("waybill.outcome");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("waybill.attempt");
    private static final RetryPolicy TWICE = new RetryPolicy(2, Duration.ofMillis(1), Duration.ofMillis(1));

    private static HikariDataSource pool;

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .build();
    private final Tracer application = sdk.getTracer("application");
    private final WaybillTracing tracing = WaybillTracing.with(sdk);
    private final Outbox<Connection> outbox = tracing.outbox(JdbcOutbox.create());

    @BeforeAll
    static void createTables() {
        HikariConfig settings = new HikariConfig();
        settings.setJdbcUrl(SharedServers.freshDatabase());
        settings.setMaximumPoolSize(12);
        pool = new HikariDataSource(settings);
        OutboxSchema.apply(pool, Engine.QUEUE);
        InboxSchema.apply(pool);
    }

    @AfterAll
    static void closePool() {
        pool.close();
    }

    @AfterEach
    void close() {
        sdk.close();
    }

    private void append(String span, Event event) throws SQLException {
        Span request = application.spanBuilder(span).startSpan();
        try (Scope current = request.makeCurrent();
                Connection connection = pool.getConnection()) {
            assertThat(current).isNotNull();
            connection.setAutoCommit(false);
            outbox.append(connection, event);
            connection.commit();
            connection.setAutoCommit(true);
        } finally {
            request.end();
        }
    }

    private InboxBuilder<Connection> inbox(String group, String type, Handler<Connection> handler) {
        return Inbox.builder(JdbcInbox.on(pool).store(), group)
                .on(type, handler)
                .retry(TWICE)
                .tracer(tracing.inbox("kafka", group));
    }

    private List<SpanData> spans(String name) {
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    /** Returns the spans as an indented tree. Siblings are sorted by name. */
    private String tree() {
        StringBuilder text = new StringBuilder();
        addChildren("0000000000000000", "", text);
        return text.toString();
    }

    private void addChildren(String parent, String indent, StringBuilder text) {
        exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getParentSpanId().equals(parent))
                .sorted(Comparator.comparing(SpanData::getName).thenComparing(SpanData::getStartEpochNanos))
                .forEach(span -> {
                    text.append(indent).append(span.getName()).append('\n');
                    addChildren(span.getSpanId(), indent + "  ", text);
                });
    }

    @Test
    void anEventAndItsFollowUpsAreOneTrace() throws SQLException {
        Map<String, String> logged = new ConcurrentHashMap<>();
        Inbox<Connection> stock = inbox("stock", "order.placed", (connection, event) -> {
                    logged.putAll(MDC.getCopyOfContextMap());
                    FollowUps.of(event, JdbcOutbox.create())
                            .append(connection, Event.of("stock.reserved", "Stock", "7", "{}"));
                    Span step = application.spanBuilder("audit").startSpan();
                    try (Scope current = step.makeCurrent()) {
                        assertThat(current).isNotNull();
                        outbox.append(connection, Event.of("stock.audited", "Stock", "8", "{}"));
                    } finally {
                        step.end();
                    }
                })
                .build();
        Inbox<Connection> mail =
                inbox("mail", "stock.reserved", (connection, event) -> {}).build();
        String broker = SharedServers.kafka().bootstrapServers();
        Event placed = Event.builder("order.placed", "Order", "42")
                .header(Headers.CORRELATION_ID, "c-1")
                .build();
        append("place order", placed);
        try (KafkaTransport transport = KafkaTransport.to(broker);
                Relay relay = Relay.builder(JdbcQueue.on(pool).store(), transport)
                        .listener(tracing.relay("kafka"))
                        .build();
                KafkaInbox first = KafkaInbox.builder(broker, stock)
                        .setting("metadata.max.age.ms", 500)
                        .build();
                KafkaInbox second = KafkaInbox.builder(broker, mail)
                        .setting("metadata.max.age.ms", 500)
                        .build()) {
            relay.start();
            first.start();
            second.start();
            await().atMost(Duration.ofMinutes(3))
                    .until(() -> exporter.getFinishedSpanItems().size() >= 7);
        }

        assertThat(tree()).isEqualTo("""
                        place order
                          process order.placed
                            audit
                              send stock.audited
                            process stock.reserved
                            send stock.reserved
                          send order.placed
                        """);
        assertThat(exporter.getFinishedSpanItems())
                .extracting(SpanData::getTraceId)
                .containsOnly(logged.get("traceId"));
        assertThat(logged).containsEntry("eventId", placed.id().toString());

        SpanData send = spans("send order.placed").get(0);
        SpanData process = spans("process order.placed").get(0);
        assertThat(send.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(attributes(send))
                .isEqualTo(Map.of(
                        "messaging.system", "kafka",
                        "messaging.operation.name", "send",
                        "messaging.operation.type", "send",
                        "messaging.destination.name", "order.placed",
                        "messaging.message.id", placed.id().toString(),
                        "messaging.message.conversation_id", "c-1",
                        "messaging.kafka.message.key", "42",
                        "waybill.event.type", "order.placed",
                        "waybill.attempt", "1",
                        "waybill.outcome", "published"));
        assertThat(attributes(process))
                .containsEntry("messaging.operation.name", "process")
                .containsEntry("messaging.consumer.group.name", "stock")
                .containsEntry("messaging.kafka.offset", "0")
                .containsEntry("waybill.outcome", "processed")
                .containsKey("messaging.destination.partition.id");
    }

    /** The table of another program, which writes the header itself. */
    @Test
    void anEventOfAServedTableContinuesTheTraceInItsHeadersColumn() throws SQLException {
        Layout layout = Layout.of("processed-flag", Path.of(""));
        HikariConfig settings = new HikariConfig();
        settings.setJdbcUrl(
                SharedServers.freshDatabase() + "&currentSchema=waybill"); // the schema of the layout's own tables
        try (HikariDataSource served = new HikariDataSource(settings);
                KafkaTransport transport =
                        KafkaTransport.to(SharedServers.kafka().bootstrapServers())) {
            try (Connection connection = served.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE public.outbox_events (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),"
                        + " aggregate_id text NOT NULL, event_type text NOT NULL, payload jsonb NOT NULL,"
                        + " created_at timestamptz NOT NULL DEFAULT now(), processed boolean NOT NULL DEFAULT false,"
                        + " processed_at timestamptz, error_message text, headers jsonb)");
                LayoutSchema.apply(served, layout);
                statement.execute(
                        "INSERT INTO public.outbox_events (aggregate_id, event_type, payload, headers) VALUES ('7',"
                                + " 'served.placed', '{}', '{\"traceparent\":"
                                + " \"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"}')");
            }
            JdbcQueue queue = JdbcQueue.on(served, layout);
            await().atMost(Duration.ofMinutes(3)).until(() -> {
                queue.store().ready(List.of()); // imports a part of the served table
                try (Relay relay = Relay.builder(queue.store(), transport)
                        .listener(tracing.relay("kafka"))
                        .build()) {
                    return relay.runOnce() == 1;
                }
            });
        }
        assertThat(spans("send served.placed")).singleElement().satisfies(send -> {
            assertThat(send.getTraceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
            assertThat(send.getParentSpanId()).isEqualTo("b7ad6b7169203331");
        });
    }

    private static Map<String, String> attributes(SpanData span) {
        Map<String, String> attributes = new ConcurrentHashMap<>();
        span.getAttributes().forEach((key, value) -> attributes.put(key.getKey(), value.toString()));
        return attributes;
    }

    private static void assertOutcomes(List<SpanData> spans, String... outcomes) {
        assertThat(spans).extracting(span -> span.getAttributes().get(OUTCOME)).containsExactly(outcomes);
        assertThat(spans)
                .extracting(SpanData::getTraceId)
                .containsOnly(spans.get(0).getTraceId());
    }

    /** Collects the log lines of a class while the work runs, and returns those about failed events. */
    private static List<ILoggingEvent> logged(Class<?> source, Callable<?> work) throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(source);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            work.call();
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream().filter(line -> line.getLevel() == Level.WARN).toList();
    }

    private static ReceivedMessage received(Event event) {
        return ReceivedMessage.of(Envelope.standard("test").seal(event));
    }

    private Event traced(String type) {
        Span span = application.spanBuilder("request").startSpan();
        try (Scope current = span.makeCurrent()) {
            assertThat(current).isNotNull();
            return Event.of(type, "Order", "1", "{}").withDefaultHeaders(tracing.currentHeaders());
        } finally {
            span.end();
        }
    }

    @Test
    void retriesADeadLetterAndItsReplayAreSpansOfTheTrace() throws Exception {
        AtomicBoolean failing = new AtomicBoolean(true);
        try (Inbox<Connection> inbox = inbox("failing", "retried", (connection, event) -> {
                    if (failing.get()) {
                        throw new IllegalStateException("The warehouse is closed.");
                    }
                })
                .build()) {
            Event event = traced("retried");
            List<ILoggingEvent> lines = logged(Inbox.class, () -> {
                assertThat(inbox.handle(received(event))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
                await().until(() -> inbox.runDue() == 1);
                return true;
            });
            assertThat(lines)
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line.getMDCPropertyMap())
                            .containsEntry("eventId", event.id().toString())
                            .containsEntry("traceId", spans("request").get(0).getTraceId()));
            failing.set(false);
            JdbcInbox.on(pool)
                    .deadLetters()
                    .replay("failing", List.of(event.id()), new Decision("operator", "The warehouse is open."));
            assertThat(inbox.runDue()).isEqualTo(1);
        }

        List<SpanData> attempts = spans("process retried");
        assertOutcomes(attempts, "retry", "dead_letter", "processed");
        assertThat(attempts)
                .extracting(span -> span.getAttributes().get(ATTEMPT))
                .containsExactly(1L, 2L, 1L);
        assertThat(attempts.get(0).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attempts.get(0).getStatus().getDescription()).isEqualTo("The warehouse is closed.");
        assertThat(attempts.get(0).getEvents())
                .singleElement()
                .satisfies(event -> assertThat(event.getName()).isEqualTo("exception"));
    }

    @Test
    void eventsOfOneTransactionHaveASpanEach() {
        AtomicInteger inSpan = new AtomicInteger();
        try (Inbox<Connection> inbox = inbox("batch", "counted", (connection, event) -> {
                    String current = Span.current().getSpanContext().getSpanId();
                    if (event.headers().getOrDefault(Headers.TRACEPARENT, "").contains(current)
                            && event.id().toString().equals(MDC.get("eventId"))) {
                        inSpan.incrementAndGet();
                    }
                })
                .build()) {
            assertThat(inbox.handle(List.of(received(traced("counted")), received(traced("counted")))))
                    .containsExactly(InboxOutcome.PROCESSED, InboxOutcome.PROCESSED);
        }

        assertThat(inSpan).hasValue(2);
        assertThat(spans("process counted"))
                .hasSize(2)
                .allSatisfy(
                        span -> assertThat(span.getAttributes().get(OUTCOME)).isEqualTo("processed"));
        assertThat(MDC.get("eventId")).isNull();
        assertThat(Span.current().getSpanContext().isValid()).isFalse();
    }

    /** The broker refuses each message once, and then for good. */
    @Test
    void failedAttemptsOfTheRelayAreSpansOfTheTrace() throws Exception {
        Event event = Event.of("refused", "Order", "1", "{}");
        append("request", event);
        List<ILoggingEvent> lines = logged(Relay.class, () -> {
            try (Transport refusing = new Refusing();
                    Relay relay = Relay.builder(JdbcQueue.on(pool).store(), refusing)
                            .retry(new RetryPolicy(5, Duration.ofMillis(1), Duration.ofMillis(1)))
                            .listener(tracing.relay("kafka"))
                            .build()) {
                relay.start();
                return await().until(() -> JdbcQueue.on(pool).view().status().deadLetters(), count -> count == 1);
            }
        });

        List<SpanData> attempts = spans("send refused");
        assertOutcomes(attempts, "retry", "dead_letter");
        assertThat(attempts)
                .extracting(span -> span.getAttributes().get(ATTEMPT))
                .containsExactly(1L, 2L);
        assertThat(attempts).allSatisfy(span -> {
            assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(span.getTraceId()).isEqualTo(spans("request").get(0).getTraceId());
        });
        assertThat(lines)
                .singleElement()
                .satisfies(line -> assertThat(line.getMDCPropertyMap())
                        .containsEntry("eventId", event.id().toString())
                        .containsEntry("traceId", spans("request").get(0).getTraceId()));
    }

    private static final class Refusing implements Transport {
        private final AtomicInteger sent = new AtomicInteger();

        @Override
        public void send(Message message, Delivery delivery) {
            delivery.failed(
                    sent.getAndIncrement() == 0
                            ? Failure.transientFailure("The broker is busy.")
                            : Failure.permanent("The message is too large."));
        }

        @Override
        public void probe() {}

        @Override
        public void close() {}
    }

    @Test
    void aFailingTracerDoesNotAffectTheHandler() {
        InboxTracer failing = (message, event, failures) -> new InboxTracer.Attempt() {
            @Override
            public Runnable enter() {
                throw new IllegalStateException("enter");
            }

            @Override
            public Event handed(Event received) {
                throw new StackOverflowError("handed");
            }

            @Override
            public void ended(@Nullable InboxOutcome outcome, @Nullable Throwable cause) {
                throw new IllegalStateException("ended");
            }
        };
        try (Inbox<Connection> inbox = inbox("untraced", "plain", (connection, event) -> {})
                .tracer(failing)
                .build()) {
            assertThat(inbox.handle(received(traced("plain")))).isEqualTo(InboxOutcome.PROCESSED);
        }
    }
}
