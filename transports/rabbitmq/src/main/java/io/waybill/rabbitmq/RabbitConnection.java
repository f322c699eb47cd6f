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
 * <p>Two threads use it: the publisher writes, and a thread of the client delivers returns, confirms and the shutdown signal. The broker
 * returns an unroutable message before it confirms it, so the confirm is always the final result.
 */
final class RabbitConnection implements BrokerConnection {
    private static final Logger log = LoggerFactory.getLogger(RabbitTransport.class);

    private static final int CLEAN_UP_EVERY = 1_000;

    private static final class Unconfirmed {
        final PendingMessage message;

        @Nullable
        String returnReason;

        Unconfirmed(PendingMessage message) {
            this.message = message;
        }
    }

    private final RabbitConnector connector;
    private final SizeLimit limit;
    private final Connection connection;
    private final Channel channel;
    private final Socket socket;
    private final NavigableMap<Long, Unconfirmed> unconfirmed = new ConcurrentSkipListMap<>();
    private final AtomicReference<@Nullable String> lost = new AtomicReference<>();
    private volatile @Nullable String blockedReason;
    private volatile long lastResponseAt = System.nanoTime();
    private volatile long writingSince;

    private RabbitConnection(RabbitConnector connector, SizeLimit limit, Connection connection, Socket socket)
            throws IOException {
        this.connector = connector;
        this.limit = limit;
        this.connection = connection;
        this.socket = socket;
        this.channel = connection.createChannel();
        channel.confirmSelect();
        channel.addReturnListener(this::returned);
        channel.addConfirmListener(
                (number, multiple) -> confirmed(number, multiple, true),
                (number, multiple) -> confirmed(number, multiple, false));
        connection.addBlockedListener(this::blocked, () -> blockedReason = null);
        channel.addShutdownListener(this::ended);
    }

    static RabbitConnection open(RabbitConnector connector, SizeLimit limit) {
        AtomicReference<Socket> socket = new AtomicReference<>();
        Connection connection = connector.connect("relay", socket::set);
        try {
            connector.ensureExchange(connection);
            return new RabbitConnection(connector, limit, connection, requireNonNull(socket.get()));
        } catch (WaybillException e) {
            connection.abort(0);
            throw e;
        } catch (IOException | RuntimeException e) {
            connection.abort(0);
            throw connector.failure(e);
        }
    }

    @Override
    public boolean isOpen() {
        return lost.get() == null;
    }

    @Override
    public long lastResponseAt() {
        return lastResponseAt;
    }

    @Override
    public long writingSince() {
        return writingSince;
    }

    /** RabbitMQ blocks publishers when it runs low on memory or disk space. */
    @Override
    public @Nullable String blockedReason() {
        return blockedReason;
    }

    @Override
    public void publish(PendingMessage message) {
        int frameMax = connection.getFrameMax() == 0 ? Integer.MAX_VALUE : connection.getFrameMax();
        String problem = RabbitMessageEncoder.problem(message.message(), limit.bytes(), frameMax)
                .orElse(null);
        if (problem != null) {
            message.failed(Failure.permanent(connector + " cannot take " + message.event() + ": " + problem));
            return;
        }
        long number = channel.getNextPublishSeqNo();
        unconfirmed.put(number, new Unconfirmed(message));
        if (number % CLEAN_UP_EVERY == 0) {
            // One queue may send no confirms while other queues do. Remove its messages after they have timed out.
            unconfirmed.values().removeIf(entry -> entry.message.isCompleted());
        }
        // Checked after the message was stored: either this thread sees that the connection is lost, or the thread
        // that aborts the connection sees the message.
        String reason = lost.get();
        if (reason != null) {
            message.failed(outage(message, reason));
            return;
        }
        writingSince = System.nanoTime() | 1;
        try {
            channel.basicPublish(
                    connector.exchange(),
                    message.message().topic(),
                    true,
                    RabbitMessageEncoder.properties(message.message()),
                    message.message().value());
        } catch (IOException | AlreadyClosedException e) {
            abort(RabbitConnector.describe(e), e);
        } catch (RuntimeException e) {
            // The client has assigned a sequence number to a message that the broker never receives, so later confirms
            // would not match their messages.
            message.failed(Failure.permanent(
                    connector + " cannot take " + message.event() + ": " + RabbitConnector.describe(e)));
            abort("A message could not be encoded.", e);
        } finally {
            writingSince = 0;
        }
    }

    private void returned(Return message) {
        String id = message.getProperties().getMessageId();
        for (Unconfirmed entry : unconfirmed.values()) {
            if (entry.returnReason == null
                    && entry.message.message().id().toString().equals(id)) {
                entry.returnReason = message.getReplyText();
                return;
            }
        }
    }

    private void confirmed(long number, boolean multiple, boolean accepted) {
        lastResponseAt = System.nanoTime();
        NavigableMap<Long, Unconfirmed> settled =
                multiple ? unconfirmed.headMap(number, true) : unconfirmed.subMap(number, true, number, true);
        settled.values().forEach(entry -> settle(entry, accepted));
        settled.clear();
    }

    private void settle(Unconfirmed entry, boolean accepted) {
        PendingMessage message = entry.message;
        if (entry.returnReason != null) {
            message.failed(Failure.destination(connector + " cannot route " + message.event() + " ("
                    + entry.returnReason + "): no queue is bound to exchange " + connector.exchange()
                    + " for this topic. Bind one."));
        } else if (accepted) {
            message.acknowledged();
        } else {
            message.failed(Failure.outage(connector + " rejected " + message.event()
                    + ": a queue bound to its topic is full or unavailable. Check the queues of exchange "
                    + connector.exchange() + "."));
        }
    }

    private void blocked(String reason) {
        blockedReason = reason;
        log.warn("{} blocks publishers: {}", connector, LogText.oneLine(reason));
    }

    private void ended(ShutdownSignalException cause) {
        abort(RabbitConnector.describe(cause), cause);
    }

    @Override
    public void abort(String reason) {
        abort(reason, null);
    }

    private void abort(String reason, @Nullable Exception cause) {
        if (!lost.compareAndSet(null, reason)) {
            return;
        }
        try {
            // Reset instead of an orderly close: unread messages are discarded and do not arrive as late duplicates.
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException alreadyClosed) {
            log.debug("The socket to {} was already closed", connector, alreadyClosed);
        }
        List<PendingMessage> open =
                unconfirmed.values().stream().map(entry -> entry.message).toList();
        ChannelClosure closure = ChannelClosure.of(cause, open, limit);
        open.forEach(message -> message.failed(closure.failureOf(message).orElseGet(() -> outage(message, reason))));
        unconfirmed.clear();
    }

    private Failure outage(PendingMessage message, String reason) {
        return Failure.outage(connector + " did not confirm " + message.event() + ": " + reason);
    }

    @Override
    public void close() {
        lost.compareAndSet(null, "The transport was closed.");
        connection.abort(500);
    }
}
