package io.waybill.processes;

import io.waybill.faults.history.History;
import io.waybill.faults.history.Workload;
import io.waybill.jdbc.JdbcOutbox;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A writer in its own JVM. The arguments are the JDBC URL, the event type, the number of keys, the number of the writer, its pause
 * after a transaction, a seed and the file of its history. Writer 0 uses plain SQL, like a service without
 * Waybill's library. On SIGTERM it finishes its transaction. The command {@code burst EVENTS SHORTEST LONGEST} appends this many events of one
 * key, with texts of these lengths.
 */
public final class WriterProgram {
    private WriterProgram() {}

    public static void main(String[] arguments) throws IOException {
        Commands.logAsAsked();
        History history = History.in(Path.of(arguments[6]));
        Workload writer = Workload.on(arguments[0], JdbcOutbox.create(), arguments[1])
                .keys(Integer.parseInt(arguments[2]))
                .firstWriter(Integer.parseInt(arguments[3]))
                .writers(1)
                .pause(Duration.parse(arguments[4]))
                .seed(Long.parseLong(arguments[5]))
                .history(history)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            writer.stop();
            Commands.say("stopped");
        }));
        Commands.say("started");
        Commands.obey(Map.of("burst", words -> {
            String[] numbers = words.split(" ", 3);
            writer.burst(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2]));
        }));
    }
}
