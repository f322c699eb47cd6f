package io.waybill.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One message on its way. Its {@link Delivery} hears the first result only: the watch, a closing transport and Kafka's
 * own callback may all have something to say, in any order.
 */
final class Sending {
    private static final Logger log = LoggerFactory.getLogger(Sending.class);

    private final Message message;
    private final Delivery delivery;
    private final Consumer<Sending> whenTold;
    private final long startedAt = System.nanoTime();
    private final AtomicBoolean told = new AtomicBoolean();
    private volatile boolean failed;
    private @Nullable ProducerRecord<byte[], byte[]> record;

    Sending(Message message, Delivery delivery, Consumer<Sending> whenTold) {
        this.message = message;
        this.delivery = delivery;
        this.whenTold = whenTold;
    }

    String topic() {
        return message.topic();
    }

    /** The event in words, for the reason of a failure. */
    String event() {
        return "event " + message.id() + " (topic " + message.topic() + ", key " + message.key() + ")";
    }

    long ageNanos() {
        return System.nanoTime() - startedAt;
    }

    boolean isTold() {
        return told.get();
    }

    boolean hasFailed() {
        return failed;
    }

    /** Made at the first call, by the thread that sends. */
    ProducerRecord<byte[], byte[]> record() {
        if (record == null) {
            ProducerRecord<byte[], byte[]> made =
                    new ProducerRecord<>(message.topic(), message.key().getBytes(UTF_8), message.value());
            message.headers().forEach((name, value) -> made.headers().add(name, value.getBytes(UTF_8)));
            record = made;
        }
        return record;
    }

    void acknowledged() {
        tell(null);
    }

    void failed(Failure failure) {
        tell(failure);
    }

    private void tell(@Nullable Failure failure) {
        if (!told.compareAndSet(false, true)) {
            return;
        }
        failed = failure != null;
        try {
            if (failure == null) {
                delivery.acknowledged();
            } else {
                delivery.failed(failure);
            }
        } catch (RuntimeException e) {
            // This is Kafka's thread: it must live on for the other messages.
            log.error("The receiver of the result of {} failed. Its result is lost.", event(), e);
        } finally {
            // Not before: a transport that closes waits for this, and must not return while a result is still untold.
            whenTold.accept(this);
        }
    }
}
