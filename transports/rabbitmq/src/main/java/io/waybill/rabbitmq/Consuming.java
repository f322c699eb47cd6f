package io.waybill.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.waybill.WaybillException;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.internal.KeyedWorkers;
import io.waybill.inbox.internal.KeyedWorkers.Subscription;
import io.waybill.transport.internal.Daemons;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one subscription to the queue, as long as it is wanted: connects, consumes, and when the connection is lost begins anew.
 *
 * <p>It never cancels its consumer while messages are unacknowledged here: the broker would give the queue's next ones to
 * somebody else before these came back, and a key's events would be applied out of order. Closing the connection does both at
 * once.
 */
final class Consuming implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RabbitInbox.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Broker broker;
    private final Inbox<?> inbox;
    private final String queue;
    private final boolean existing;
    private final List<String> topics;
    private final int prefetch;
    private final Duration handOverLimit;
    private final KeyedWorkers workers;
    private final Thread thread;
    private final CountDownLatch stop = new CountDownLatch(1);
    private volatile Subscription subscription = new Subscription();

    Consuming(RabbitInbox.Builder builder) {
        this.broker = new Broker(builder.address, builder.exchange, PATIENCE);
        this.inbox = builder.inbox;
        this.queue = builder.queue == null ? inbox.group() : builder.queue;
        this.existing = builder.existing;
        this.topics = builder.topics;
        this.prefetch = builder.prefetch;
        this.handOverLimit = builder.handOverLimit;
        this.workers = new KeyedWorkers(inbox, builder.workers, builder.batchSize);
        this.thread = Daemons.named("waybill-inbox-queue-" + inbox.group()).newThread(this);
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
                Connection connection = broker.connect("inbox-" + inbox.group(), socket -> {});
                try {
                    consume(connection);
                    complained = false;
                } finally {
                    connection.abort(1_000);
                }
            } catch (WaybillException e) {
                if (!complained) {
                    complained = true;
                    LOG.warn("Group {} cannot read from queue {}: {} Trying on.", inbox.group(), queue, e.getMessage());
                }
            } catch (InterruptedException e) {
                return;
            }
            pause();
        }
    }

    private void consume(Connection connection) throws InterruptedException {
        Subscription mine = new Subscription();
        subscription = mine;
        if (stop.getCount() == 0) {
            return;
        }
        try {
            if (!existing) {
                declare(connection);
            }
            subscribe(connection, mine, existing);
        } catch (IOException | RuntimeException e) {
            mine.end();
            throw e instanceof WaybillException known ? known : broker.refused(e);
        }
        while (!mine.isOver()) {
            mine.await(Duration.ofSeconds(10));
        }
        if (stop.getCount() == 0 && !workers.awaitIdle(handOverLimit)) {
            LOG.warn(
                    "Group {} hands its queue over while a handler is at work; its event goes to the next consumer, too",
                    inbox.group());
        }
    }

    private void declare(Connection connection) throws IOException {
        broker.ensureExchange(connection);
        try (Channel channel = connection.createChannel()) {
            channel.queueDeclare(
                    queue, true, false, false, Map.of("x-queue-type", "quorum", "x-single-active-consumer", true));
            for (String topic : topics) {
                channel.queueBind(queue, broker.exchange(), topic);
            }
        } catch (IOException e) {
            if (Broker.code(e) == AMQP.PRECONDITION_FAILED) {
                throw new WaybillException(
                        "Queue " + queue + " exists and is no quorum queue with a single active consumer: "
                                + Broker.said(e) + " Delete it, or take it as it is with existingQueue.",
                        e);
            }
            throw e;
        } catch (TimeoutException e) {
            throw broker.refused(e);
        }
    }

    private void subscribe(Connection connection, Subscription mine, boolean exclusive) throws IOException {
        Channel channel = connection.createChannel();
        channel.basicQos(prefetch);
        try {
            channel.basicConsume(queue, false, "", false, exclusive, Map.of(), consumer(channel, mine));
        } catch (IOException e) {
            if (exclusive
                    && Broker.code(e) == AMQP.ACCESS_REFUSED
                    && Broker.said(e).contains("single active")) {
                subscribe(connection, mine, false);
                return;
            }
            throw e;
        }
    }

    private DefaultConsumer consumer(Channel channel, Subscription mine) {
        return new DefaultConsumer(channel) {
            @Override
            public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
                workers.take(mine, Wire.received(envelope, properties, body), () -> {
                    try {
                        channel.basicAck(envelope.getDeliveryTag(), false);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            }

            /** The queue was deleted, or its node left. */
            @Override
            public void handleCancel(String tag) {
                mine.end();
            }

            @Override
            public void handleShutdownSignal(String tag, ShutdownSignalException cause) {
                mine.end();
            }
        };
    }

    private void pause() {
        try {
            boolean unused = stop.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            stop.countDown();
        }
    }
}
