package io.waybill.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.waybill.WaybillException;
import io.waybill.inbox.internal.KeyedWorkers;
import io.waybill.inbox.internal.KeyedWorkers.Subscription;
import io.waybill.inbox.internal.SubscriptionLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * The queue of a group.
 *
 * <p>It never cancels its consumer while messages are unacknowledged here: the broker would give the queue's next ones to
 * somebody else before these came back, and a key's events would be applied out of order. Closing the connection does both at
 * once.
 */
final class QueueSource implements SubscriptionLoop.Source {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Broker broker;
    private final String group;
    private final String queue;
    private final boolean existing;
    private final boolean exclusive;
    private final List<String> topics;
    private final int prefetch;
    private final KeyedWorkers workers;
    private final SubscriptionLoop feeding;

    @SuppressWarnings("ThisEscapedInObjectConstruction") // begins to work when it is started
    QueueSource(RabbitInbox.Builder builder) {
        this.broker = new Broker(builder.address, builder.exchange, PATIENCE);
        this.group = builder.inbox.group();
        this.queue = builder.queue == null ? group : builder.queue;
        this.existing = builder.existing;
        this.exclusive = builder.exclusive;
        this.topics = builder.topics;
        this.prefetch = builder.prefetch;
        this.workers = new KeyedWorkers(builder.inbox, builder.workers, builder.batchSize);
        this.feeding = new SubscriptionLoop(builder.inbox, "queue " + queue, workers, builder.handOverLimit, this);
    }

    SubscriptionLoop feeding() {
        return feeding;
    }

    @Override
    public void consume(Subscription subscription) throws InterruptedException {
        Connection connection = broker.connect("inbox-" + group, socket -> {});
        try {
            if (!existing) {
                declare(connection);
            }
            subscribe(connection, subscription);
            subscription.await();
            feeding.awaitHandOver();
        } catch (IOException e) {
            throw broker.refused(e);
        } finally {
            subscription.end();
            connection.abort(1_000);
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
                        "It exists and is no quorum queue with a single active consumer: " + Broker.said(e)
                                + " Delete it, or take it as it is with existingQueue.",
                        e);
            }
            throw e;
        } catch (TimeoutException e) {
            throw broker.refused(e);
        }
    }

    private void subscribe(Connection connection, Subscription subscription) throws IOException {
        Channel channel = connection.createChannel();
        channel.basicQos(prefetch);
        try {
            channel.basicConsume(queue, false, "", false, exclusive, Map.of(), consumer(channel, subscription));
        } catch (IOException e) {
            if (exclusive && Broker.code(e) == AMQP.ACCESS_REFUSED) {
                throw new WaybillException(
                        "Somebody else consumes it: " + Broker.said(e) + " If the queue has a single active consumer,"
                                + " name it with existingSingleActiveQueue.",
                        e);
            }
            throw e;
        }
    }

    private DefaultConsumer consumer(Channel channel, Subscription subscription) {
        return new DefaultConsumer(channel) {
            @Override
            public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
                workers.submit(subscription, Wire.received(envelope, properties, body), () -> {
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
                subscription.end();
            }

            @Override
            public void handleShutdownSignal(String tag, ShutdownSignalException cause) {
                subscription.end();
            }
        };
    }
}
