package io.waybill.bench;

import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.LocalPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Drains a backlog through the queue engine and through a bare loop, in turns, in one run: the ratio is the result, the
 * absolute figures belong to the machine. Arguments: events, batch size, rounds.
 */
public final class DrainBench {
    private DrainBench() {}

    public static void main(String[] arguments) throws Exception {
        int events = argument(arguments, 0, 200_000);
        int batch = argument(arguments, 1, 500);
        int rounds = argument(arguments, 2, 3);
        Path folder = Files.createTempDirectory("waybill-bench-");
        try (LocalPostgres postgres = LocalPostgres.builder(folder.resolve("postgres"))
                        .setting("shared_buffers", "1GB")
                        .setting("max_wal_size", "8GB")
                        .setting("checkpoint_timeout", "30min")
                        .start();
                LocalKafka kafka = LocalKafka.builder(folder.resolve("kafka"))
                        .partitions(8)
                        .start();
                Backlog backlog = new Backlog(postgres.jdbcUrl())) {
            CpuTime cpu = new CpuTime(postgres.pid(), kafka.pid());
            BareLoop bare = new BareLoop(backlog, kafka.bootstrapServers(), batch, cpu);
            QueueDrain queue = new QueueDrain(backlog, kafka.bootstrapServers(), batch, cpu);
            System.out.printf("%d events, batch %d; warming up%n", events, batch);
            bare.run(events / 4);
            queue.run(events / 4);
            double[] ratios = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                Measured plain = bare.run(events);
                Measured ours = queue.run(events);
                ratios[round] = ours.perSecond() / plain.perSecond();
                System.out.printf(
                        "round %d: bare loop %s; queue engine %s; ratio %.2f%n", round + 1, plain, ours, ratios[round]);
            }
            Arrays.sort(ratios);
            System.out.printf("median ratio %.2f%n", ratios[rounds / 2]);
        } finally {
            delete(folder);
        }
    }

    static int argument(String[] arguments, int index, int standard) {
        return arguments.length > index ? Integer.parseInt(arguments[index]) : standard;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
