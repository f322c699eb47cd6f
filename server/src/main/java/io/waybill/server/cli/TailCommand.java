package io.waybill.server.cli;

import io.waybill.kafka.KafkaTransport;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.broker.BrokerKind;
import io.waybill.server.broker.Brokers;
import io.waybill.server.broker.TopicReader;
import io.waybill.server.cli.command.Arguments;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.cli.command.TopicRule;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "tail",
        description = {
            "Print the key, headers and value of new records in a Kafka topic. Waits for a topic that does not exist yet.",
            "Ends after --max records, or when no record arrived for --timeout (exit code 1 if --max was not reached)."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill tail --topic order.placed --from-beginning",
            "  ./waybill tail --topic order.placed --json --max 1 --timeout 10s | jq .value.data"
        })
final class TailCommand extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Option(names = "--topic", required = true, paramLabel = "TOPIC", description = "Topic to read; repeatable.")
    private List<String> topics = List.of();

    @Option(names = "--from-beginning", description = "Start with the oldest record of the topic.")
    private boolean fromBeginning;

    @Option(names = "--max", paramLabel = "N", description = "End after N records.")
    private @Nullable Long max;

    @Option(names = "--timeout", paramLabel = "DURATION", description = "End when no record arrived for this long.")
    private @Nullable String timeout;

    @Override
    protected Set<String> settings() {
        return Set.of("broker", "data-dir");
    }

    @Override
    protected Exit run() {
        Duration patience = Arguments.optionalDuration("--timeout", timeout);
        if (max != null && max < 1) {
            throw Problem.usage("--max must be 1 or more, not " + max + ".");
        }
        Configuration configuration = brokerSettings();
        BrokerAddress broker = servers(configuration).broker();
        if (broker.kind() != BrokerKind.KAFKA) {
            throw Problem.usage("tail reads from Kafka, and the broker is " + broker
                    + ". Read it with the broker's own tools; see docs/brokers.md.");
        }
        topics.forEach(TopicRule.of(servers(configuration))::check);
        try (KafkaTransport transport = Brokers.kafka(broker, configuration)) {
            Brokers.probe(transport);
        }
        try (TopicReader reader = new TopicReader(broker, configuration.brokerSettings(), topics, fromBeginning)) {
            return read(reader, patience);
        }
    }

    /** Outboxes that publish to the same broker need no choice between them. */
    private Configuration brokerSettings() {
        List<Configuration> outboxes = outboxes();
        Configuration first = outboxes.get(0);
        boolean same = outboxes.stream()
                .allMatch(outbox -> outbox.find(Settings.BROKER_URL).equals(first.find(Settings.BROKER_URL))
                        && outbox.brokerSettings().equals(first.brokerSettings()));
        return same ? first : configuration();
    }

    private Exit read(TopicReader reader, @Nullable Duration patience) {
        long seen = 0;
        long last = System.nanoTime();
        boolean named = false;
        while (true) {
            for (ConsumerRecord<byte[], byte[]> arrived : reader.poll(Duration.ofMillis(200))) {
                print(arrived);
                last = System.nanoTime();
                if (output().closed() || (max != null && ++seen == max)) {
                    return Exit.OK;
                }
            }
            if (!named) {
                reader.missingTopics()
                        .forEach(topic -> output().note("Waiting for topic " + topic + ", which does not exist yet."));
                named = true;
            }
            if (output().closed()) {
                return Exit.OK;
            }
            if (patience != null && System.nanoTime() - last > patience.toNanos()) {
                return max == null ? Exit.OK : Exit.FAILED;
            }
        }
    }

    private void print(ConsumerRecord<byte[], byte[]> arrived) {
        if (json.wanted()) {
            var line = Json.object()
                    .put("topic", arrived.topic())
                    .put("partition", arrived.partition())
                    .put("offset", arrived.offset())
                    .put("timestamp", Instant.ofEpochMilli(arrived.timestamp()).toString())
                    .put("key", text(arrived.key()));
            var headers = line.putObject("headers");
            for (Header header : arrived.headers()) {
                headers.put(header.key(), text(header.value()));
            }
            Json.payload(line, "value", text(arrived.value()));
            output().json(line);
            return;
        }
        output().line(output().bold(TerminalText.escape(arrived.topic() + "[" + arrived.partition() + "]@"
                + arrived.offset() + "  key " + text(arrived.key()))));
        for (Header header : arrived.headers()) {
            output().line("  " + TerminalText.escape(header.key() + ": " + text(header.value())));
        }
        output().line("  " + TerminalText.escape(text(arrived.value())));
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }
}
