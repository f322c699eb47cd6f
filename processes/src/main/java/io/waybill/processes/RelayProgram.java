package io.waybill.processes;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.envelope.Envelope;
import io.waybill.faults.crash.Crash;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.layout.Layout;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayListener;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.testkit.time.ManualClock;
import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * A relay in its own JVM. The arguments are the JDBC URL, the broker, the name of the relay, the lease and the
 * engine. SIGTERM closes the relay. The commands are {@code crash POINT:HIT} (if it was started
 * with {@link Crash#LATER}), {@code clock PT-10M} and {@code pool 1}.
 */
public final class RelayProgram implements RelayListener {
    /** Small, so that a low load makes many batches. */
    public static final int BATCH_SIZE = 50;

    /** The address of a broker that acknowledges every message at once. */
    public static final String NOWHERE = "nowhere";

    /** The system property of the send timeout. */
    public static final String SEND_TIMEOUT = "waybill.send-timeout";

    /** The system property of the {@link TransportBug} of this relay. */
    public static final String BUG = "waybill.bug";

    private static final AtomicLong SENT = new AtomicLong();

    private RelayProgram() {}

    /** @param options JVM options */
    public static ChildProcess start(
            Engine engine, String jdbcUrl, String broker, String relay, Duration lease, List<String> options) {
        return ChildProcess.run(RelayProgram.class, options, jdbcUrl, broker, relay, lease.toString(), engine.name());
    }

    public static void main(String[] arguments) throws IOException {
        Commands.logAsAsked();
        Optional<Crash> crash = Crash.requested();
        HikariDataSource pool = Outboxes.pool(arguments[0], 5);
        DataSource dataSource = crash.map(c -> c.dataSource(pool)).orElse(pool);
        OutboxStore plain = Outboxes.store(Engine.valueOf(arguments[4]), dataSource);
        OutboxStore store = crash.map(c -> c.store(plain)).orElse(plain);
        boolean nowhere = arguments[1].equals(NOWHERE);
        Transport broker = FatalTransport.around(nowhere ? nowhere() : broker(arguments[1]));
        Transport transport = crash.map(c -> c.transport(broker)).orElse(broker);
        ManualClock clock = ManualClock.running();
        Relay relay = Relay.builder(store, transport)
                .name(arguments[2])
                .lease(Duration.parse(arguments[3]))
                .batchSize(nowhere ? 2_000 : BATCH_SIZE)
                .workers(1)
                .envelope(envelope())
                .ticker(clock)
                .listener(new RelayProgram())
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            relay.close();
            transport.close();
            pool.close();
            if (nowhere) {
                Commands.say("sent " + SENT);
            }
            Commands.say("stopped");
        }));
        relay.start();
        Commands.say("started");
        Map<String, Consumer<String>> commands = new HashMap<>();
        crash.ifPresent(c -> commands.put("crash", c::arm));
        commands.put("clock", jump -> clock.move(Duration.parse(jump)));
        commands.put("pool", size -> pool.getHikariConfigMXBean().setMaximumPoolSize(Integer.parseInt(size)));
        Commands.obey(commands);
    }

    private static Envelope envelope() {
        return Outboxes.layout().filter(Layout::payloadAlone).isPresent()
                ? Envelope.none()
                : Envelope.standard("waybill");
    }

    private static Transport broker(String address) {
        Transport transport = Transports.to(address, Duration.parse(System.getProperty(SEND_TIMEOUT, "PT15S")));
        String bug = System.getProperty(BUG);
        return bug == null ? transport : TransportBug.valueOf(bug).in(transport);
    }

    private static Transport nowhere() {
        return new Transport() {
            @Override
            public void send(Message message, Delivery delivery) {
                SENT.incrementAndGet();
                delivery.acknowledged();
            }

            @Override
            public void probe() {}

            @Override
            public void close() {}
        };
    }

    @Override
    public void leaseLost(Lease lease) {
        Commands.say("lease lost: " + lease);
    }

    @Override
    public void fenceRejected(Lease lease) {
        Commands.say("fence rejected: " + lease);
    }
}
