package io.waybill.server.cli.append;

import io.waybill.Event;
import io.waybill.server.config.Sizes;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that describe one event. */
final class EventOptions {
    @Option(names = "--type", paramLabel = "TYPE", description = "Event type, such as order.placed.")
    private @Nullable String type;

    @Option(names = "--aggregate-type", paramLabel = "TYPE", description = "Aggregate type, such as Order.")
    private @Nullable String aggregateType;

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "Aggregate id. Events of one key are published in order.")
    private @Nullable String key;

    @Option(
            names = "--payload",
            paramLabel = "JSON",
            description = "Payload, or @FILE to read it from a file (default: {}).")
    private @Nullable String payload;

    @Option(names = "--header", paramLabel = "NAME=VALUE", description = "Header of the event; repeatable.")
    private Map<String, String> headers = new LinkedHashMap<>();

    @Option(names = "--topic", paramLabel = "TOPIC", description = "Topic (default: the event type).")
    private @Nullable String topic;

    @Option(names = "--id", paramLabel = "UUID", description = "Event id (default: a new UUID).")
    private @Nullable UUID id;

    @Option(names = "--event-version", paramLabel = "N", description = "Version of the payload schema (default 1).")
    private @Nullable Integer version;

    @Option(names = "--aggregate-version", paramLabel = "N", description = "Version of the aggregate after the change.")
    private @Nullable Long aggregateVersion;

    /** Whether the options describe an event. Without any of these three, the events come from standard input. */
    boolean given() {
        return type != null || key != null || aggregateType != null;
    }

    /**
     * @param folder where a file of {@code --payload} is looked for
     * @param maxPayload the largest payload, in bytes
     */
    Event event(Path folder, int maxPayload) {
        String missing =
                type == null ? "--type" : aggregateType == null ? "--aggregate-type" : key == null ? "--key" : "";
        if (type == null || aggregateType == null || key == null) {
            throw Problem.usage(missing + " is missing. An event needs --type, --aggregate-type and --key.");
        }
        Event.Builder event = Event.builder(type, aggregateType, key)
                .payload(PayloadText.checked(payloadText(folder, maxPayload)))
                .headers(headers);
        if (topic != null) {
            event.topic(topic);
        }
        if (id != null) {
            event.id(id);
        }
        if (version != null) {
            event.version(version);
        }
        if (aggregateVersion != null) {
            event.aggregateVersion(aggregateVersion);
        }
        return event.build();
    }

    private String payloadText(Path folder, int maxPayload) {
        if (payload == null) {
            return "{}";
        }
        if (!payload.startsWith("@")) {
            return payload;
        }
        Path file = folder.resolve(payload.substring(1));
        try {
            if (Files.size(file) > 10L * maxPayload) {
                throw Problem.usage("The payload file " + file + " has " + Sizes.print(Files.size(file))
                        + ". The limit is " + Sizes.print(maxPayload) + " (outbox.max-payload).");
            }
            return Files.readString(file);
        } catch (CharacterCodingException e) {
            throw new Problem(Exit.USAGE, "The payload file " + file + " is not UTF-8 text.", e);
        } catch (IOException e) {
            throw new Problem(Exit.USAGE, "Cannot read the payload file " + file + ". Correct --payload.", e);
        }
    }
}
