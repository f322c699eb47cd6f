package io.waybill.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;

/**
 * The main class of the broker's own JVM; its arguments are the properties file and the data folder.
 *
 * <p>The broker exits when its standard input ends. The other end of that pipe belongs to the parent JVM alone, so the
 * input ends when the parent closes it and also when the parent dies in any way; see {@link ChildServer}.
 */
final class KafkaProcess {

    private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(10);

    private KafkaProcess() {}

    public static void main(String[] arguments) {
        String properties = arguments[0];
        Path data = Path.of(arguments[1]);
        daemon("parent-watch", KafkaProcess::exitWhenInputEnds);
        if (!Files.exists(data.resolve("meta.properties"))) {
            format(properties);
        }
        Kafka.main(new String[] {properties});
    }

    private static void format(String properties) {
        String[] command = {"format", "-t", Uuid.randomUuid().toString(), "-c", properties};
        int status = StorageTool.execute(command, System.out);
        if (status != 0) {
            System.exit(status);
        }
    }

    private static void exitWhenInputEnds() {
        try {
            while (System.in.read() >= 0) {
                // only the end matters
            }
        } catch (IOException broken) {
            // as good as the end
        }
        // Exit waits for Kafka's shutdown hook, which can hang. The parent may be dead and cannot kill this process.
        daemon("shutdown-limit", KafkaProcess::haltAfterLimit);
        System.exit(0);
    }

    private static void haltAfterLimit() {
        try {
            Thread.sleep(SHUTDOWN_LIMIT.toMillis());
        } catch (InterruptedException nobodyInterruptsThisThread) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(1);
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
