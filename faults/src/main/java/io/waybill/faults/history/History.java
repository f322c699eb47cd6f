package io.waybill.faults.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The attempts of all writers and their results. Thread-safe. */
public final class History {
    /** The result of a transaction, as far as its writer knows. */
    public enum Result {
        /** The transaction has not ended. At the end of a run this means the same as {@link #UNKNOWN}. */
        INVOKED,
        OK,
        FAIL,
        /** The answer to COMMIT was lost. */
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

    /** Also writes each step to a file at once, so that the history survives a kill of the process. */
    public static History in(Path file) throws IOException {
        return new History(HistoryFile.open(file));
    }

    /** Reads the histories of these files. */
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

    /** Returns all attempts in no particular order. */
    public List<Attempt> attempts() {
        return List.copyOf(attempts.values());
    }

    public long count(Result result) {
        return attempts.values().stream().filter(a -> a.result() == result).count();
    }

    /** Returns a line for each attempt, for the analysis of a violation. */
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
