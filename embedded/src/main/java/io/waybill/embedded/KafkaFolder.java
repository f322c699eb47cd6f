package io.waybill.embedded;

import io.waybill.embedded.internal.BrokerLogging;
import java.io.IOException;
import java.io.Writer;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The files of one Kafka broker, {@code data} and {@code server.properties}, and the program that runs on them. */
final class KafkaFolder {

    static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("auto.create.topics.enable", "true"),
            Map.entry("num.partitions", "3"),
            // one node, so one replica
            Map.entry("default.replication.factor", "1"),
            Map.entry("offsets.topic.replication.factor", "1"),
            Map.entry("offsets.topic.num.partitions", "1"),
            Map.entry("transaction.state.log.replication.factor", "1"),
            Map.entry("transaction.state.log.min.isr", "1"),
            Map.entry("transaction.state.log.num.partitions", "1"),
            Map.entry("share.coordinator.state.topic.replication.factor", "1"),
            Map.entry("share.coordinator.state.topic.min.isr", "1"),
            Map.entry("share.coordinator.state.topic.num.partitions", "1"),
            // A killed broker can register again only after its old session has expired.
            Map.entry("broker.session.timeout.ms", "2000"),
            Map.entry("broker.heartbeat.interval.ms", "500"),
            Map.entry("group.initial.rebalance.delay.ms", "0"),
            // For small machines: fewer threads, and 2 MB instead of 128 MB for compaction.
            Map.entry("num.network.threads", "2"),
            Map.entry("num.io.threads", "4"),
            Map.entry("background.threads", "2"),
            Map.entry("log.cleaner.dedupe.buffer.size", "2097152"));

    private final Path data;
    private final Path properties;

    KafkaFolder(Path folder) {
        this.data = folder.resolve("data");
        this.properties = folder.resolve("server.properties");
    }

    /** @param listeners the advertised port of each port; the first one is the broker's own */
    void configure(Map<Integer, Integer> listeners, int controllerPort, Map<String, String> settings)
            throws IOException {
        List<String> protocols = new ArrayList<>(List.of("CONTROLLER:PLAINTEXT"));
        List<String> bound = new ArrayList<>(List.of("CONTROLLER://127.0.0.1:" + controllerPort));
        List<String> advertised = new ArrayList<>();
        listeners.forEach((port, advertisedPort) -> {
            String name = advertised.isEmpty() ? "BROKER" : "BROKER" + advertised.size();
            protocols.add(name + ":PLAINTEXT");
            bound.add(name + "://127.0.0.1:" + port);
            advertised.add(name + "://127.0.0.1:" + advertisedPort);
        });
        Properties lines = new Properties();
        lines.putAll(settings);
        lines.setProperty("process.roles", "broker,controller");
        lines.setProperty("node.id", "1");
        lines.setProperty("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        lines.setProperty("controller.listener.names", "CONTROLLER");
        lines.setProperty("inter.broker.listener.name", "BROKER");
        lines.setProperty("listener.security.protocol.map", String.join(",", protocols));
        lines.setProperty("listeners", String.join(",", bound));
        lines.setProperty("advertised.listeners", String.join(",", advertised));
        lines.setProperty("log.dirs", data.toString());
        try (Writer writer = Files.newBufferedWriter(properties)) {
            lines.store(writer, "Written at every start; use LocalKafka.builder(folder).setting(name, value).");
        }
    }

    /** @param jars a folder with the jars of another version of Kafka, or null for the class path of this JVM */
    ProcessBuilder program(@Nullable Path jars) {
        List<String> command = new ArrayList<>(List.of(
                // Ctrl-C in a terminal sends SIGINT to every process of the program. The parent must drain before the
                // broker ends, so the broker starts with SIGINT ignored; a JVM keeps it ignored.
                "sh", "-c", "trap '' INT; exec \"$@\"", "kafka"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-Xms64m",
                "-Xmx384m",
                // A fast start matters more here than peak throughput.
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.awt.headless=true",
                "-Dslf4j.provider=" + BrokerLogging.class.getName(),
                KafkaProcess.class.getName(),
                properties.toString(),
                data.toString()));
        ProcessBuilder builder = new ProcessBuilder(command);
        // In the environment, because it can be too long for a command line.
        builder.environment().put("CLASSPATH", jars == null ? absoluteClassPath() : classPath(jars));
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        return builder;
    }

    /** This JVM's SLF4J comes first: {@link BrokerLogging} needs version 2, and older versions of Kafka bring version 1. */
    private static String classPath(Path jars) {
        return String.join(
                System.getProperty("path.separator"),
                locationOf(KafkaProcess.class),
                locationOf(LoggerFactory.class),
                jars.toAbsolutePath().resolve("*").toString());
    }

    private static String locationOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new LocalServerException("Cannot find the file of " + type + ": " + e.getMessage(), e);
        }
    }

    /** The broker's working folder is another one, so relative entries must become absolute. */
    private static String absoluteClassPath() {
        String separator = System.getProperty("path.separator");
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(separator, -1)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(separator, entries);
    }
}
