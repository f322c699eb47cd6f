package io.waybill.testkit.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

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
    private final @Nullable HistoryFile file;

    /** In memory. */
    public History() {
        this(null);
    }

    private History(@Nullable HistoryFile file) {
        this.file = file;
    }

    /** Notes everything in a file as well, line by line and at once: it outlives a process that is killed. */
    public static History in(Path file) throws IOException {
        return new History(HistoryFile.open(file));
    }

    /** What the writers of these files noted. */
    public static History read(Collection<Path> files) throws IOException {
        History history = new History();
        for (Path file : files) {
            HistoryFile.read(file, history);
        }
        return history;
    }

    public void invoke(Written event) {
        if (file != null) {
            file.invoke(event);
        }
        attempts.put(event.id(), new Attempt(event, Result.INVOKED));
    }

    public void tell(Collection<Written> events, Result result) {
        if (file != null) {
            events.forEach(event -> file.tell(event.id(), result));
        }
        events.forEach(event -> attempts.put(event.id(), new Attempt(event, result)));
    }

    void tell(UUID id, Result result) {
        attempts.computeIfPresent(id, (key, attempt) -> new Attempt(attempt.event(), result));
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
