package io.waybill.nats;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.waybill.WaybillException;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.ReceivedMessage;
import io.waybill.inbox.internal.consumer.ConsumerOptions;
import io.waybill.inbox.internal.consumer.KeyedWorkers;
import io.waybill.inbox.internal.consumer.KeyedWorkers.Subscription;
import io.waybill.inbox.internal.consumer.RetentionRule;
import io.waybill.inbox.internal.consumer.SubscriptionLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Pulls the messages of a stream through the durable consumer of a group. */
final class StreamSource implements SubscriptionLoop.Source {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PULL_WAIT = Duration.ofMillis(300);

    private static final Logger LOG = LoggerFactory.getLogger(NatsInbox.class);

    private final NatsConnector connector;
    private final Inbox<?> inbox;
    private final boolean checkRetention;
    private final String group;
    private final List<String> topics;
    private final int inFlight;
    private final Duration ackWait;
    private final KeyedWorkers workers;
    private final SubscriptionLoop loop;

    @SuppressWarnings("ThisEscapedInObjectConstruction") // the loop calls back only after it is started
    StreamSource(NatsInbox.Builder builder, ConsumerOptions options) {
        this.connector = new NatsConnector(builder.url, builder.stream, 1, TIMEOUT);
        this.inbox = options.inbox();
        this.checkRetention = builder.checkRetention;
        this.group = inbox.group();
        this.topics = options.topics();
        this.inFlight = builder.inFlight;
        this.ackWait = builder.ackWait;
        this.workers = new KeyedWorkers(options.inbox(), Math.min(options.workers(), inFlight), 1);
        this.loop = new SubscriptionLoop(
                options.inbox(), "stream " + builder.stream, workers, options.handOverLimit(), this);
    }

    SubscriptionLoop loop() {
        return loop;
    }

    /**
     * Checks that the inbox remembers events for longer than the stream keeps them. If the server cannot be reached, the check is
     * repeated when the consumer connects.
     */
    void checkRetention() {
        StreamInfo stream;
        try {
            Connection connection = connector.connect("inbox-" + group, () -> {});
            try {
                stream = connector.ensureStream(connection);
            } finally {
                NatsConnection.close(connection);
            }
        } catch (WaybillException e) {
            LOG.debug("Group {} cannot check the retention of stream {} yet", group, connector.stream(), e);
            return;
        }
        check(stream.getConfiguration());
    }

    /** A work queue deletes acknowledged messages; other streams redeliver them when the consumer is deleted and created again. */
    private void check(StreamConfiguration stream) {
        if (!checkRetention || stream.getRetentionPolicy() == RetentionPolicy.WorkQueue) {
            return;
        }
        Duration age = stream.getMaxAge();
        Duration longest = age == null || age.isZero() ? RetentionRule.FOREVER : age;
        RetentionRule.problem(inbox, "Stream " + stream.getName(), longest).ifPresent(problem -> {
            throw new WaybillException(problem);
        });
    }

    @Override
    public void consume(Subscription subscription) throws Exception {
        Connection connection = connector.connect("inbox-" + group, subscription::end);
        try {
            check(connector.ensureStream(connection).getConfiguration());
            pull(connection, subscription);
        } finally {
            subscription.end();
            NatsConnection.close(connection);
        }
    }

    private void pull(Connection connection, Subscription subscription) throws Exception {
        JetStreamSubscription pulled = connection
                .jetStream(connector.jetStreamOptions())
                .subscribe(null, PullSubscribeOptions.bind(connector.stream(), declare(connection)));
        Set<Message> unacknowledged = ConcurrentHashMap.newKeySet();
        long lastProgressAt = System.nanoTime();
        while (!subscription.hasEnded()) {
            for (Message message : pulled.fetch(Math.max(1, inFlight - unacknowledged.size()), PULL_WAIT)) {
                take(message, subscription, unacknowledged);
            }
            if (System.nanoTime() - lastProgressAt > ackWait.toNanos() / 4) {
                lastProgressAt = System.nanoTime();
                unacknowledged.forEach(Message::inProgress);
            }
        }
        loop.awaitHandOver();
        if (connection.getStatus() == Connection.Status.CONNECTED) {
            unacknowledged.forEach(Message::nak); // redelivers at once instead of after ackWait
            flush(connection);
        }
    }

    private void take(Message message, Subscription subscription, Set<Message> unacknowledged) {
        ReceivedMessage received = NatsMessageDecoder.decode(connector.stream(), message);
        if (!topics.contains(received.topic())) {
            message.ack();
            return;
        }
        unacknowledged.add(message);
        workers.submit(subscription, received, () -> {
            unacknowledged.remove(message);
            message.ack();
        });
    }

    private static void flush(Connection connection) throws InterruptedException {
        try {
            connection.flush(TIMEOUT);
        } catch (TimeoutException e) {
            // The last acknowledgements may be lost. Their events are delivered again, and the inbox skips duplicates.
        }
    }

    /**
     * Creates or updates the durable consumer. Servers before 2.10 cannot filter by several subjects: they deliver all messages of the
     * stream, and {@link #take} acknowledges those of other topics unhandled.
     */
    private String declare(Connection connection) throws IOException, JetStreamApiException {
        String name = PercentEncoding.encode(group, c -> c != '.' && c != '*' && c != '>' && c != '/' && c != '\\');
        ConsumerConfiguration.Builder wanted = ConsumerConfiguration.builder()
                .durable(name)
                .deliverPolicy(DeliverPolicy.All)
                .ackPolicy(AckPolicy.Explicit)
                .ackWait(ackWait)
                .maxAckPending(inFlight);
        List<String> subjects = topics.stream()
                .map(topic -> Subjects.subject(connector.stream(), topic))
                .toList();
        if (subjects.size() == 1) {
            wanted.filterSubject(subjects.get(0));
        } else if (connection.getServerInfo().isSameOrNewerThanVersion("2.10.0")) {
            wanted.filterSubjects(subjects);
        }
        connection
                .jetStreamManagement(connector.jetStreamOptions())
                .addOrUpdateConsumer(connector.stream(), wanted.build());
        return name;
    }
}
