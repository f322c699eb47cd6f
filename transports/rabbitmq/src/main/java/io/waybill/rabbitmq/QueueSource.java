package io.waybill.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.waybill.WaybillException;
import io.waybill.inbox.internal.consumer.ConsumerOptions;
import io.waybill.inbox.internal.consumer.KeyedWorkers;
import io.waybill.inbox.internal.consumer.KeyedWorkers.Subscription;
import io.waybill.inbox.internal.consumer.SubscriptionLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * Consumes the queue of a group.
 *
 * <p>The consumer is never cancelled while it has unacknowledged messages: the broker would deliver the next messages of the queue to
 * another consumer before it requeues these, and events of a key would be applied out of order. Closing the connection cancels the
 * consumer and requeues its messages in one step.
 */
final class QueueSource implements SubscriptionLoop.Source {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final RabbitConnector connector;
    private final String group;
    private final String queue;
    private final boolean existing;
    private final boolean exclusive;
    private final List<String> topics;
    private final int prefetch;
    private final KeyedWorkers workers;
    private final SubscriptionLoop loop;

    @SuppressWarnings("ThisEscapedInObjectConstruction") // the loop calls back only after it is started
    QueueSource(RabbitInbox.Builder builder, ConsumerOptions options) {
        this.connector = new RabbitConnector(builder.address, builder.exchange, TIMEOUT);
        this.group = options.inbox().group();
        this.queue = builder.queue == null ? group : builder.queue;
        this.existing = builder.existing;
        this.exclusive = builder.exclusive;
        this.topics = options.topics();
        this.prefetch = builder.prefetch;
        this.workers = new KeyedWorkers(options.inbox(), options.workers(), builder.batchSize);
        this.loop = new SubscriptionLoop(options.inbox(), "queue " + queue, workers, options.handOverLimit(), this);
    }

    SubscriptionLoop loop() {
        return loop;
    }

    @Override
    public void consume(Subscription subscription) throws InterruptedException {
        Connection connection = connector.connect("inbox-" + group, socket -> {});
        try {
            if (!existing) {
                declare(connection);
            }
            subscribe(connection, subscription);
            subscription.await();
            loop.awaitHandOver();
        } catch (IOException e) {
            throw connector.failure(e);
        } finally {
            subscription.end();
            connection.abort(1_000);
        }
    }

    private void declare(Connection connection) throws IOException {
        connector.ensureExchange(connection);
        try (Channel channel = connection.createChannel()) {
            channel.queueDeclare(
                    queue, true, false, false, Map.of("x-queue-type", "quorum", "x-single-active-consumer", true));
            for (String topic : topics) {
                channel.queueBind(queue, connector.exchange(), topic);
            }
        } catch (IOException e) {
            if (RabbitConnector.replyCode(e) == AMQP.PRECONDITION_FAILED) {
                throw new WaybillException(
                        "The queue exists, but is not a quorum queue with a single active consumer: "
                                + RabbitConnector.describe(e) + " Delete it, or use it unchanged with existingQueue.",
                        e);
            }
            throw e;
        } catch (TimeoutException e) {
            throw connector.failure(e);
        }
    }

    private void subscribe(Connection connection, Subscription subscription) throws IOException {
        Channel channel = connection.createChannel();
        channel.basicQos(prefetch);
        try {
            channel.basicConsume(queue, false, "", false, exclusive, Map.of(), consumer(channel, subscription));
        } catch (IOException e) {
            if (exclusive && RabbitConnector.replyCode(e) == AMQP.ACCESS_REFUSED) {
                throw new WaybillException(
                        "Another consumer uses the queue: " + RabbitConnector.describe(e)
                                + " If the queue has a single active consumer,"
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
                workers.submit(subscription, RabbitMessageDecoder.decode(envelope, properties, body), () -> {
                    try {
                        channel.basicAck(envelope.getDeliveryTag(), false);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            }

            /** Called when the queue is deleted or its node goes down. */
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
