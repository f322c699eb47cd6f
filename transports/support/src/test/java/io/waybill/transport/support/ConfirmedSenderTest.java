package io.waybill.transport.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** An unexpected exception of a broker's client fails one message; later messages are sent. */
class ConfirmedSenderTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Test
    void afterAnUnexpectedErrorTheNextMessageOpensAConnection() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        Supplier<BrokerConnection> opener = () -> {
            if (opened.incrementAndGet() == 1) {
                throw new IllegalStateException("a bug");
            }
            return new AcceptingConnection(0);
        };
        ConfirmedSender sender = new ConfirmedSender("broker", TIMEOUT, opener);

        assertThat(send(sender)).isEqualTo("OUTAGE");
        assertThat(send(sender)).isEqualTo("acknowledged");
        sender.close();
    }

    /** The publisher thread opens the connection and writes the first message; the sending thread writes the others. */
    @Test
    void aMessageThatMakesTheClientThrowFailsAlone() throws Exception {
        ConfirmedSender sender = new ConfirmedSender("broker", TIMEOUT, () -> new AcceptingConnection(2));

        assertThat(send(sender)).isEqualTo("acknowledged");
        assertThat(send(sender)).isEqualTo("OUTAGE");
        assertThat(send(sender)).isEqualTo("acknowledged");
        sender.close();
    }

    private static String send(ConfirmedSender sender) throws Exception {
        CompletableFuture<String> result = new CompletableFuture<>();
        sender.send(new Message(UUID.randomUUID(), "topic", "key", new byte[0], Map.of()), new Delivery() {
            @Override
            public void acknowledged() {
                result.complete("acknowledged");
            }

            @Override
            public void failed(Failure failure) {
                result.complete(failure.kind().toString());
            }
        });
        return result.get(TIMEOUT.toSeconds() / 2, TimeUnit.SECONDS);
    }

    private static final class AcceptingConnection implements BrokerConnection {
        private final int fatal;
        private int taken;

        /** @param fatal number of the message that makes the connection throw, counted from 1 */
        AcceptingConnection(int fatal) {
            this.fatal = fatal;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void publish(PendingMessage message) {
            if (++taken == fatal) {
                throw new IllegalStateException("a bug");
            }
            message.acknowledged();
        }

        @Override
        public long lastResponseAt() {
            return System.nanoTime();
        }

        @Override
        public void abort(String reason) {}

        @Override
        public void close() {}
    }
}
