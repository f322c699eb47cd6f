package io.waybill.bench.contest;

import io.waybill.bench.measure.CpuTime;
import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.LocalNats;
import io.waybill.embedded.LocalRabbit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A database and a broker: either embedded ones in a temporary folder, with durable commits, or existing ones. */
public final class BenchServers implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final String jdbcUrl;
    private final BenchBroker bus;
    private final CpuTime cpuTime;

    private BenchServers(@Nullable String database, @Nullable String broker) throws IOException {
        Path folder = Files.createTempDirectory("waybill-bench-");
        open.push(() -> delete(folder));
        // An interrupted program must not leave PostgreSQL running.
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        OptionalLong databasePid = OptionalLong.empty();
        OptionalLong kafkaPid = OptionalLong.empty();
        try {
            Optional<DatabaseKind> wanted = DatabaseKind.named(database);
            if (wanted.isPresent()) {
                DatabaseKind.Server server =
                        wanted.get().start(folder.resolve(wanted.get().label()));
                open.push(server.process());
                databasePid = server.pid();
                jdbcUrl = server.jdbcUrl();
            } else {
                jdbcUrl = String.valueOf(database);
            }
            if (broker == null || broker.equals("kafka")) {
                LocalKafka kafka = LocalKafka.start(folder.resolve("kafka"));
                open.push(kafka);
                kafkaPid = OptionalLong.of(kafka.pid());
                bus = new BenchBroker.Kafka(kafka.bootstrapServers());
            } else if (broker.equals("rabbitmq")) {
                LocalRabbit rabbit = LocalRabbit.start(folder.resolve("rabbit"));
                open.push(rabbit);
                bus = new RabbitBroker("rabbitmq://127.0.0.1:" + rabbit.port());
            } else if (broker.equals("nats")) {
                LocalNats nats = LocalNats.start(folder.resolve("nats"));
                open.push(nats);
                bus = new NatsBroker("nats://127.0.0.1:" + nats.port());
            } else if (broker.startsWith("nats://")) {
                bus = new NatsBroker(broker);
            } else {
                bus = broker.startsWith("rabbitmq://") ? new RabbitBroker(broker) : new BenchBroker.Kafka(broker);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        cpuTime = new CpuTime(databasePid, kafkaPid);
    }

    /**
     * @param database a JDBC address, or {@code postgresql}, {@code mariadb} or {@code h2} for one of its own; null for PostgreSQL
     * @param broker an address, or {@code kafka}, {@code rabbitmq} or {@code nats} for one of its own; null for Kafka
     */
    public static BenchServers open(@Nullable String database, @Nullable String broker) throws IOException {
        return new BenchServers(database, broker);
    }

    public String jdbcUrl() {
        return jdbcUrl;
    }

    /** Whether the database reports the size of its log. */
    public boolean countsWal() {
        return DatabaseKind.of(jdbcUrl).walPosition().isPresent();
    }

    public String bootstrap() {
        if (bus instanceof BenchBroker.Kafka kafka) {
            return kafka.bootstrap();
        }
        throw new IllegalStateException("This measures Kafka only. Leave --broker out, or measure drain or latency.");
    }

    BenchBroker bus() {
        return bus;
    }

    public Sink sink(String contestant) throws Exception {
        return bus.sink(contestant);
    }

    public CpuTime cpuTime() {
        return cpuTime;
    }

    @Override
    public synchronized void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                System.err.println("Cannot clean up: " + e);
            }
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
