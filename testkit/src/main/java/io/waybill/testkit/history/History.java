package io.waybill.testkit.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** What writers tried and what they were told, from all their threads. */
public final class History {
    /** What a writer knows about the transaction of an event. */
    public enum Result {
        /** Nobody was told anything yet; at the end of a run the same as {@link #UNKNOWN}. */
        INVOKED,
        OK,
        FAIL,
        /** COMMIT was sent and its answer got lost. */
        UNKNOWN
    }

    /** One event of one transaction. */
    public record Attempt(Written event, Result result) {}

    private final Map<UUID, Attempt> attempts = new ConcurrentHashMap<>();

    public void invoke(Written event) {
        attempts.put(event.id(), new Attempt(event, Result.INVOKED));
    }

    public void tell(Collection<Written> events, Result result) {
        events.forEach(event -> attempts.put(event.id(), new Attempt(event, result)));
    }

    /** All attempts, in no particular order. */
    public List<Attempt> attempts() {
        return List.copyOf(attempts.values());
    }

    public long count(Result result) {
        return attempts.values().stream().filter(a -> a.result() == result).count();
    }

    /** One line for each attempt, for a person who looks for the cause of a violation. */
    public void write(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Files.write(
                file,
                attempts.values().stream()
                        .map(a -> a.event() + " " + a.result())
                        .sorted()
                        .toList());
    }
}
