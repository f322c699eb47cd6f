package io.waybill.server.up;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.internal.DaemonThreads;
import io.waybill.internal.LogText;
import io.waybill.server.database.DemoOrders;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Generates the load of a small shop: each transaction changes one order and appends the event of that change. A few orders
 * get most of the traffic, and one transaction in twenty rolls back together with its event. From time to time the demo
 * inserts an event that the broker rejects, because its topic is misspelled or because it is too large. It becomes a dead letter that
 * the user can repair.
 */
public final class Demo implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Demo.class);
    private static final String[] STATES = {"placed", "paid", "shipped"};
    private static final int ORDERS = 200;
    private static final int HOT_ORDERS = 5;

    /** The correct spelling of the misspelled topic. */
    public static final String REFUNDS = "order.refunded";

    /** Kafka and NATS reject this name. */
    private static final String MISSPELLED = "order refunded";

    /** More than the brokers accept by default. */
    private static final int OVERSIZED = 1_200_000;

    private static final long FIRST_MISTAKE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long MISTAKE_NANOS = TimeUnit.SECONDS.toNanos(45);

    /** The demo inserts no further misspelled event while this many are not yet repaired. */
    private static final int MOST_MISTAKES = 5;

    private final DemoOrders orders;
    private final double perSecond;
    private final Random random = new Random();
    private final Thread thread = DaemonThreads.create("waybill-demo", this::run);
    private int mistakes;
    private long nextMistake = System.nanoTime() + FIRST_MISTAKE_NANOS;
    private volatile boolean stopped;

    private Demo(DemoOrders orders, double perSecond) {
        this.orders = orders;
        this.perSecond = perSecond;
    }

    /** @param perSecond the approximate number of transactions per second */
    public static Demo start(DemoOrders orders, double perSecond) {
        Demo demo = new Demo(orders, perSecond);
        demo.thread.start();
        return demo;
    }

    private void run() {
        boolean complained = false;
        boolean prepared = false;
        while (!stopped) {
            try {
                if (!prepared) {
                    orders.create(ORDERS);
                    prepared = true;
                }
                step();
                mistake();
                complained = false;
                pause(Math.max(1, Math.round(1_000 / perSecond)));
            } catch (RuntimeException e) {
                if (!complained && !stopped) {
                    LOG.warn("The demo cannot write; retrying every second: {}", LogText.oneLine(e.getMessage()));
                    complained = true;
                }
                pause(1_000);
            }
        }
    }

    private void step() {
        long order = 1L + (random.nextInt(10) < 6 ? random.nextInt(HOT_ORDERS) : random.nextInt(ORDERS));
        String state = STATES[random.nextInt(STATES.length)];
        String total = (10 + random.nextInt(990)) + "." + random.nextInt(10) + random.nextInt(10);
        boolean commit = random.nextInt(20) > 0;
        orders.change(order, state, total, changes -> event(order, changes, state, total), commit);
    }

    private void mistake() {
        if (System.nanoTime() - nextMistake < 0) {
            return;
        }
        nextMistake = System.nanoTime() + MISTAKE_NANOS;
        if (mistakes++ == 1) {
            oversized();
            return;
        }
        String refund = "refund-" + (1_000 + random.nextInt(9_000));
        orders.insert(
                Event.builder(REFUNDS, "Refund", refund)
                        .topic(MISSPELLED)
                        .payload("{\"refund\":\"" + refund + "\"}")
                        .build(),
                MOST_MISTAKES);
    }

    /** Not through the outbox, which rejects such a payload by default. */
    private void oversized() {
        String invoice = "invoice-" + (1_000 + random.nextInt(9_000));
        orders.insert(
                Event.of(
                        "invoice.scanned",
                        "Invoice",
                        invoice,
                        "{\"invoice\":\"" + invoice + "\",\"scan\":\"" + "0".repeat(OVERSIZED) + "\"}"),
                MOST_MISTAKES);
    }

    private static Event event(long order, long version, String state, String total) {
        return Event.builder("order." + state, "Order", Long.toString(order))
                .aggregateVersion(version)
                .payload("{\"orderId\":" + order + ",\"change\":" + version + ",\"state\":\"" + state + "\",\"total\":"
                        + total + "}")
                .header(Headers.SOURCE, "waybill-demo")
                .header(Headers.CORRELATION_ID, UUID.randomUUID().toString())
                .build();
    }

    private void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            stopped = true;
        }
    }

    @Override
    public void close() {
        stopped = true;
        thread.interrupt();
        try {
            thread.join(2_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        orders.close();
    }
}
