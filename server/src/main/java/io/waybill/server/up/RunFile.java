package io.waybill.server.up;

import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** {@code run.json}: the addresses of the servers of a running {@code waybill up}, for other commands. */
public final class RunFile {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path file;

    public RunFile(Path dataFolder) {
        this.file = dataFolder.resolve("run.json");
    }

    /**
     * A running {@code waybill up}.
     *
     * @param startedAt the start time of the process, which tells it from a later process with the same id
     */
    public record Running(long pid, Instant startedAt, String database, String broker, String http) {
        boolean alive() {
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .filter(process ->
                            process.info().startInstant().map(startedAt::equals).orElse(true))
                    .isPresent();
        }
    }

    /** The running {@code waybill up}; empty when there is none. */
    public Optional<Running> running() {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readValue(Files.readString(file), Running.class))
                    .filter(Running::alive);
        } catch (IOException | JacksonException torn) {
            return Optional.empty();
        }
    }

    /** Replaces the file atomically: a reader sees the old file or the new one. Only the owner may read it. */
    void write(String database, String broker, String http) {
        ProcessHandle self = ProcessHandle.current();
        Running running =
                new Running(self.pid(), self.info().startInstant().orElse(Instant.EPOCH), database, broker, http);
        try {
            Path draft = Files.createTempFile(file.getParent(), "run", ".json");
            if (draft.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-------"));
            }
            Files.writeString(draft, JSON.writeValueAsString(running));
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new Problem(Exit.FAILED, "Cannot write " + file + ": " + e + ". Make the folder writable.", e);
        }
    }

    void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // Readers ignore a file whose process has ended.
        }
    }
}
