package io.waybill.acceptance;

import com.zaxxer.hikari.HikariDataSource;
import io.waybill.jdbc.Engine;
import io.waybill.kafka.KafkaTransport;
import io.waybill.relay.Relay;
import io.waybill.relay.RelayListener;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.testkit.crash.Crash;
import io.waybill.transport.Delivery;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * The main class of {@link RelayProcess}; its arguments are the JDBC URL, the bootstrap servers, the relay's name, the
 * lease and the engine. Prints what a test waits for, closes the relay on SIGTERM, and ends when its standard input does: no orphan stays.
 */
final class RelayProgram implements RelayListener {
    /** Small, so that a load of a few events a millisecond makes many batches. */
    static final int BATCH_SIZE = 50;

    /** Instead of bootstrap servers: a broker that takes everything at once. */
    static final String NOWHERE = "nowhere";

    private static final AtomicLong SENT = new AtomicLong();

    private RelayProgram() {}

    public static void main(String[] arguments) throws IOException {
        Optional<Crash> crash = Crash.requested();
        HikariDataSource pool = Scenario.pool(arguments[0], 5);
        DataSource dataSource = crash.map(c -> c.dataSource(pool)).orElse(pool);
        OutboxStore plain = Scenario.store(Engine.valueOf(arguments[4]), dataSource);
        OutboxStore store = crash.map(c -> c.store(plain)).orElse(plain);
        boolean nowhere = arguments[1].equals(NOWHERE);
        Transport kafka = FatalTransport.around(nowhere ? nowhere() : KafkaTransport.to(arguments[1]));
        Transport transport = crash.map(c -> c.transport(kafka)).orElse(kafka);
        Relay relay = Relay.builder(store, transport)
                .name(arguments[2])
                .lease(Duration.parse(arguments[3]))
                .batchSize(nowhere ? 2_000 : BATCH_SIZE)
                .workers(1)
                .listener(new RelayProgram())
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            relay.close();
            transport.close();
            pool.close();
            if (nowhere) {
                say("sent " + SENT);
            }
            say("stopped");
        }));
        relay.start();
        say("started");
        while (System.in.read() >= 0) {
            // only the end matters
        }
        Runtime.getRuntime().halt(1);
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
        say("lease lost: " + lease);
    }

    @Override
    public void fenceRejected(Lease lease) {
        say("fence rejected: " + lease);
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
