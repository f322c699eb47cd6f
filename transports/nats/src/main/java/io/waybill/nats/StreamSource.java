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
import io.waybill.inbox.internal.KeyedWorkers;
import io.waybill.inbox.internal.KeyedWorkers.Subscription;
import io.waybill.inbox.internal.RetentionRule;
import io.waybill.inbox.internal.SubscriptionLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A group's durable consumer of a stream. */
final class StreamSource implements SubscriptionLoop.Source {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration PULL = Duration.ofMillis(300);

    private static final Logger LOG = LoggerFactory.getLogger(NatsInbox.class);

    private final Broker broker;
    private final Inbox<?> inbox;
    private final boolean checkRetention;
    private final String group;
    private final List<String> topics;
    private final int inFlight;
    private final Duration ackWait;
    private final KeyedWorkers workers;
    private final SubscriptionLoop feeding;

    @SuppressWarnings("ThisEscapedInObjectConstruction") // begins to work when it is started
    StreamSource(NatsInbox.Builder builder) {
        this.broker = new Broker(builder.url, builder.stream, 1, PATIENCE);
        this.inbox = builder.inbox;
        this.checkRetention = builder.checkRetention;
        this.group = inbox.group();
        this.topics = builder.topics;
        this.inFlight = builder.inFlight;
        this.ackWait = builder.ackWait;
        this.workers = new KeyedWorkers(builder.inbox, Math.min(builder.workers, inFlight), 1);
        this.feeding =
                new SubscriptionLoop(builder.inbox, "stream " + builder.stream, workers, builder.handOverLimit, this);
    }

    SubscriptionLoop feeding() {
        return feeding;
    }

    /**
     * Compares what the stream keeps with what the inbox remembers. A server that does not answer is asked again when the
     * consumer reaches it.
     */
    void checkRetention() {
        StreamInfo stream;
        try {
            Connection connection = broker.connect("inbox-" + group, () -> {});
            try {
                stream = broker.ensureStream(connection);
            } finally {
                NatsLink.close(connection);
            }
        } catch (WaybillException e) {
            LOG.debug("Group {} cannot ask how long stream {} keeps messages yet", group, broker.stream(), e);
            return;
        }
        check(stream.getConfiguration());
    }

    /** A work queue removes what was acknowledged; other streams deliver it again to a consumer that was deleted and made anew. */
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
        Connection connection = broker.connect("inbox-" + group, subscription::end);
        try {
            check(broker.ensureStream(connection).getConfiguration());
            pull(connection, subscription);
        } finally {
            subscription.end();
            NatsLink.close(connection);
        }
    }

    private void pull(Connection connection, Subscription subscription) throws Exception {
        JetStreamSubscription pulled = connection
                .jetStream(broker.jetStreamOptions())
                .subscribe(null, PullSubscribeOptions.bind(broker.stream(), declare(connection)));
        Set<Message> open = ConcurrentHashMap.newKeySet();
        long beat = System.nanoTime();
        while (!subscription.hasEnded()) {
            for (Message message : pulled.fetch(Math.max(1, inFlight - open.size()), PULL)) {
                take(message, subscription, open);
            }
            if (System.nanoTime() - beat > ackWait.toNanos() / 4) {
                beat = System.nanoTime();
                open.forEach(Message::inProgress);
            }
        }
        feeding.awaitHandOver();
        if (connection.getStatus() == Connection.Status.CONNECTED) {
            open.forEach(Message::nak); // at once to the next consumer
            flush(connection);
        }
    }

    private void take(Message message, Subscription subscription, Set<Message> open) {
        ReceivedMessage received = Wire.received(broker.stream(), message);
        if (!topics.contains(received.topic())) {
            message.ack();
            return;
        }
        open.add(message);
        workers.submit(subscription, received, () -> {
            open.remove(message);
            message.ack();
        });
    }

    private static void flush(Connection connection) throws InterruptedException {
        try {
            connection.flush(PATIENCE);
        } catch (TimeoutException e) {
            // then the last acknowledgements may not have arrived, and their events come again
        }
    }

    /** Several topics need a server that filters by several; older ones send all, and the rest is left alone here. */
    private String declare(Connection connection) throws IOException, JetStreamApiException {
        String name = Percent.encode(group, c -> c != '.' && c != '*' && c != '>' && c != '/' && c != '\\');
        ConsumerConfiguration.Builder wanted = ConsumerConfiguration.builder()
                .durable(name)
                .deliverPolicy(DeliverPolicy.All)
                .ackPolicy(AckPolicy.Explicit)
                .ackWait(ackWait)
                .maxAckPending(inFlight);
        List<String> subjects = topics.stream()
                .map(topic -> Wire.subject(broker.stream(), topic))
                .toList();
        if (subjects.size() == 1) {
            wanted.filterSubject(subjects.get(0));
        } else if (connection.getServerInfo().isSameOrNewerThanVersion("2.10.0")) {
            wanted.filterSubjects(subjects);
        }
        connection.jetStreamManagement(broker.jetStreamOptions()).addOrUpdateConsumer(broker.stream(), wanted.build());
        return name;
    }
}
