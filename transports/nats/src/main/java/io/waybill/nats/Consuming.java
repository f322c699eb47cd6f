package io.waybill.nats;

import io.nats.client.Connection;
import io.nats.client.ConnectionListener.Events;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamSubscription;
import io.nats.client.Message;
import io.nats.client.PullSubscribeOptions;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.waybill.WaybillException;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.Received;
import io.waybill.inbox.internal.KeyedWorkers;
import io.waybill.inbox.internal.KeyedWorkers.Subscription;
import io.waybill.transport.internal.Daemons;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps one subscription, as long as it is wanted: connects, pulls, and when the connection is lost begins anew. */
final class Consuming implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(NatsInbox.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration PULL = Duration.ofMillis(300);

    private final Broker broker;
    private final Inbox<?> inbox;
    private final List<String> topics;
    private final int inFlight;
    private final Duration ackWait;
    private final Duration handOverLimit;
    private final KeyedWorkers workers;
    private final Thread thread;
    private final CountDownLatch stop = new CountDownLatch(1);
    private volatile Subscription subscription = new Subscription();

    Consuming(NatsInbox.Builder builder) {
        this.broker = new Broker(builder.url, builder.stream, 1, PATIENCE);
        this.inbox = builder.inbox;
        this.topics = builder.topics;
        this.inFlight = builder.inFlight;
        this.ackWait = builder.ackWait;
        this.handOverLimit = builder.handOverLimit;
        this.workers = new KeyedWorkers(inbox, Math.min(builder.workers, inFlight), 1);
        this.thread = Daemons.named("waybill-inbox-stream-" + inbox.group()).newThread(this);
    }

    void start() {
        thread.start();
    }

    void stop() {
        stop.countDown();
        subscription.end();
        try {
            thread.join(handOverLimit.plusSeconds(10).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        workers.stop();
    }

    @Override
    public void run() {
        boolean complained = false;
        while (stop.getCount() > 0) {
            try {
                consume();
                complained = false;
            } catch (WaybillException | IOException | JetStreamApiException | IllegalStateException e) {
                if (!complained) {
                    complained = true;
                    LOG.warn(
                            "Group {} cannot read from stream {}: {} Trying on.",
                            inbox.group(),
                            broker.stream(),
                            Broker.said(e));
                }
            } catch (InterruptedException e) {
                return;
            }
            pause();
        }
    }

    private void consume() throws IOException, JetStreamApiException, InterruptedException {
        Subscription mine = new Subscription();
        subscription = mine;
        if (stop.getCount() == 0) {
            return;
        }
        Connection connection = broker.connect("inbox-" + inbox.group(), (source, event) -> {
            if (event == Events.CLOSED || event == Events.DISCONNECTED) {
                mine.end();
            }
        });
        try {
            broker.ensureStream(connection);
            pull(connection, mine);
        } finally {
            mine.end();
            NatsLink.close(connection);
        }
    }

    private void pull(Connection connection, Subscription mine)
            throws IOException, JetStreamApiException, InterruptedException {
        JetStreamSubscription pulled = connection
                .jetStream(broker.jetStreamOptions())
                .subscribe(null, PullSubscribeOptions.bind(broker.stream(), declare(connection)));
        Set<Message> open = ConcurrentHashMap.newKeySet();
        long beat = System.nanoTime();
        while (!mine.isOver()) {
            for (Message message : pulled.fetch(Math.max(1, inFlight - open.size()), PULL)) {
                Received received = Wire.received(broker.stream(), message);
                if (topics.contains(received.topic())) {
                    open.add(message);
                    workers.take(mine, received, () -> {
                        open.remove(message);
                        message.ack();
                    });
                } else {
                    message.ack();
                }
            }
            if (System.nanoTime() - beat > ackWait.toNanos() / 4) {
                beat = System.nanoTime();
                open.forEach(Message::inProgress);
            }
        }
        if (stop.getCount() == 0 && connection.getStatus() == Connection.Status.CONNECTED) {
            if (!workers.awaitIdle(handOverLimit)) {
                LOG.warn(
                        "Group {} stops while a handler is at work; its event goes to the next consumer, too",
                        inbox.group());
            }
            open.forEach(Message::nak);
            flush(connection);
        }
    }

    private static void flush(Connection connection) throws InterruptedException {
        try {
            connection.flush(PATIENCE);
        } catch (TimeoutException e) {
            LOG.debug("The last acknowledgements may not have arrived; their events come again", e);
        }
    }

    /** Several topics need a server that filters by several; older ones send all, and the rest is left alone here. */
    private String declare(Connection connection) throws IOException, JetStreamApiException {
        String name = Percent.encode(inbox.group(), c -> c != '.' && c != '*' && c != '>' && c != '/' && c != '\\');
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

    private void pause() {
        try {
            boolean unused = stop.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            stop.countDown();
        }
    }
}
