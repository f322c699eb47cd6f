package io.waybill.rabbitmq;

import static java.util.Objects.requireNonNull;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.waybill.WaybillException;
import io.waybill.internal.LogText;
import io.waybill.transport.Failure;
import io.waybill.transport.support.BrokerConnection;
import io.waybill.transport.support.PendingMessage;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection with one channel in confirm mode.
 *
 * <p>Two threads meet here: the publisher writes, the client's own thread brings returns, confirms and the end. The broker
 * returns an unroutable message before it confirms it, so a confirm is the last word about each.
 */
final class RabbitLink implements BrokerConnection {
    private static final Logger log = LoggerFactory.getLogger(RabbitTransport.class);

    private static final int FORGET_EVERY = 1_000;

    /** A message that was written and not confirmed. */
    private static final class Written {
        final PendingMessage message;

        @Nullable
        String returned;

        Written(PendingMessage message) {
            this.message = message;
        }
    }

    private final Broker broker;
    private final SizeLimit limit;
    private final Connection connection;
    private final Channel channel;
    private final Socket socket;
    private final NavigableMap<Long, Written> unconfirmed = new ConcurrentSkipListMap<>();
    private final AtomicReference<@Nullable String> lost = new AtomicReference<>();
    private volatile @Nullable String blocked;
    private volatile long heardAt = System.nanoTime();
    private volatile long writingSince;

    private RabbitLink(Broker broker, SizeLimit limit, Connection connection, Socket socket) throws IOException {
        this.broker = broker;
        this.limit = limit;
        this.connection = connection;
        this.socket = socket;
        this.channel = connection.createChannel();
        channel.confirmSelect();
        channel.addReturnListener(this::returned);
        channel.addConfirmListener(
                (number, multiple) -> confirmed(number, multiple, true),
                (number, multiple) -> confirmed(number, multiple, false));
        connection.addBlockedListener(this::blocked, () -> blocked = null);
        channel.addShutdownListener(this::ended);
    }

    static RabbitLink open(Broker broker, SizeLimit limit) {
        AtomicReference<Socket> socket = new AtomicReference<>();
        Connection connection = broker.connect("relay", socket::set);
        try {
            broker.ensureExchange(connection);
            return new RabbitLink(broker, limit, connection, requireNonNull(socket.get()));
        } catch (WaybillException e) {
            connection.abort(0);
            throw e;
        } catch (IOException | RuntimeException e) {
            connection.abort(0);
            throw broker.refused(e);
        }
    }

    @Override
    public boolean isOpen() {
        return lost.get() == null;
    }

    @Override
    public long heardAt() {
        return heardAt;
    }

    @Override
    public long writingSince() {
        return writingSince;
    }

    /** It is short of memory or disk. */
    @Override
    public @Nullable String blocked() {
        return blocked;
    }

    @Override
    public void publish(PendingMessage message) {
        int frame = connection.getFrameMax() == 0 ? Integer.MAX_VALUE : connection.getFrameMax();
        String problem = Wire.problem(message.message(), limit.bytes(), frame).orElse(null);
        if (problem != null) {
            message.failed(Failure.permanent(broker + " cannot take " + message.event() + ": " + problem));
            return;
        }
        long number = channel.getNextPublishSeqNo();
        unconfirmed.put(number, new Written(message));
        if (number % FORGET_EVERY == 0) {
            // One queue may be silent while others answer: what was given up on is of no interest any more.
            unconfirmed.values().removeIf(written -> written.message.isTold());
        }
        // Asked after the message was noted: either this thread sees the end, or whoever ends the link sees the
        // message.
        String gone = lost.get();
        if (gone != null) {
            message.failed(outage(message, gone));
            return;
        }
        writingSince = System.nanoTime() | 1;
        try {
            channel.basicPublish(
                    broker.exchange(),
                    message.message().topic(),
                    true,
                    Wire.properties(message.message()),
                    message.message().value());
        } catch (IOException | AlreadyClosedException e) {
            lose(Broker.said(e), e);
        } catch (RuntimeException e) {
            // The client has counted a message that the broker never gets: from here on no confirm would fit its
            // number.
            message.failed(Failure.permanent(broker + " cannot take " + message.event() + ": " + Broker.said(e)));
            lose("A message could not be encoded.", e);
        } finally {
            writingSince = 0;
        }
    }

    private void returned(Return message) {
        String id = message.getProperties().getMessageId();
        for (Written written : unconfirmed.values()) {
            if (written.returned == null
                    && written.message.message().id().toString().equals(id)) {
                written.returned = message.getReplyText();
                return;
            }
        }
    }

    private void confirmed(long number, boolean multiple, boolean accepted) {
        heardAt = System.nanoTime();
        NavigableMap<Long, Written> settled =
                multiple ? unconfirmed.headMap(number, true) : unconfirmed.subMap(number, true, number, true);
        settled.values().forEach(written -> settle(written, accepted));
        settled.clear();
    }

    private void settle(Written written, boolean accepted) {
        PendingMessage message = written.message;
        if (written.returned != null) {
            message.failed(Failure.destination(broker + " has nowhere to put " + message.event() + " ("
                    + written.returned + "): no queue is bound to exchange " + broker.exchange()
                    + " for this topic. Bind one."));
        } else if (accepted) {
            message.acknowledged();
        } else {
            message.failed(Failure.outage(broker + " refused " + message.event()
                    + ": a queue bound to its topic is full or not available. Look at the queues of exchange "
                    + broker.exchange() + "."));
        }
    }

    private void blocked(String reason) {
        blocked = reason;
        log.warn("{} blocks publishers: {}", broker, LogText.oneLine(reason));
    }

    private void ended(ShutdownSignalException cause) {
        lose(Broker.said(cause), cause);
    }

    @Override
    public void lose(String reason) {
        lose(reason, null);
    }

    private void lose(String reason, @Nullable Exception cause) {
        if (!lost.compareAndSet(null, reason)) {
            return;
        }
        try {
            // At once and without goodbye: what the broker has not read yet need not arrive as a late duplicate.
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException alreadyClosed) {
            log.debug("The socket to {} was closed before", broker, alreadyClosed);
        }
        List<PendingMessage> open =
                unconfirmed.values().stream().map(written -> written.message).toList();
        Blame blame = Blame.of(cause, open, limit);
        open.forEach(message -> message.failed(blame.of(message).orElseGet(() -> outage(message, reason))));
        unconfirmed.clear();
    }

    private Failure outage(PendingMessage message, String reason) {
        return Failure.outage(broker + " did not confirm " + message.event() + ": " + reason);
    }

    @Override
    public void close() {
        lost.compareAndSet(null, "The transport was closed.");
        connection.abort(500);
    }
}
