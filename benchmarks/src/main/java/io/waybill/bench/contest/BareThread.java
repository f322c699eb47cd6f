package io.waybill.bench.contest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waybill.transport.Message;
import java.sql.Connection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Runs a bare loop until it is closed. */
final class BareThread extends Thread implements RunningRelay, BareStep.Send {
    private static final int IDLE_MILLIS = 5;

    private final Schema schema;
    private final Sender sender;
    private final BareStep step;
    private final int batch;
    private final AtomicLong published = new AtomicLong();
    private volatile boolean stopping;
    private volatile boolean idle;
    private volatile @Nullable Exception failure;

    BareThread(Schema schema, Sender sender, BareStep step, int batch) {
        super("bare-loop");
        this.schema = schema;
        this.sender = sender;
        this.step = step;
        this.batch = batch;
    }

    @Override
    public void begin() {
        start();
    }

    @Override
    public void run() {
        try (Connection connection = schema.connect()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setAutoCommit(false);
            while (!stopping) {
                int moved = step.run(connection, batch, this, sender::flush);
                connection.commit();
                published.addAndGet(moved);
                idle = moved == 0;
                if (idle) {
                    TimeUnit.MILLISECONDS.sleep(IDLE_MILLIS);
                }
            }
            connection.setAutoCommit(true);
        } catch (Exception e) {
            failure = e;
        }
    }

    @Override
    public void payload(String key, String value) throws Exception {
        sender.send(key, value.getBytes(UTF_8), Map.of());
    }

    @Override
    public void message(Message message) throws Exception {
        sender.send(message.key(), message.value(), message.headers());
    }

    @Override
    public long published() {
        Exception seen = failure;
        if (seen != null) {
            throw new IllegalStateException("The loop ended: " + seen, seen);
        }
        return published.get();
    }

    @Override
    public boolean settled() {
        return idle;
    }

    @Override
    public void close() {
        stopping = true;
        try {
            join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        sender.close();
    }
}
