package io.waybill.server.up;

import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The locked data folder of a running {@code waybill up}. The operating system releases the lock when the process ends or is killed. */
public final class UpFolder implements AutoCloseable {
    private final Path folder;
    private final FileChannel lock;
    private final RunFile runFile;

    private UpFolder(Path folder, FileChannel lock) {
        this.folder = folder;
        this.lock = lock;
        this.runFile = new RunFile(folder);
    }

    public static UpFolder take(Path folder) {
        try {
            Files.createDirectories(folder);
            FileChannel channel =
                    FileChannel.open(folder.resolve("up.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!locked(channel)) {
                channel.close();
                throw running(folder);
            }
            return new UpFolder(folder, channel);
        } catch (IOException e) {
            throw new Problem(
                    Exit.FAILED,
                    "Cannot use the data folder " + folder + ": " + e
                            + ". Make it writable, or choose another with --data-dir.",
                    e);
        }
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return false;
        }
    }

    private static Problem running(Path folder) {
        String where = new RunFile(folder)
                .running()
                .map(running -> " (process " + running.pid() + ", " + running.http() + ")")
                .orElse(" (still starting)");
        return new Problem(
                Exit.FAILED,
                "`waybill up` already runs on " + folder + where
                        + ". Use it, stop it, or choose another folder with --data-dir.");
    }

    Path part(String name) {
        return folder.resolve(name);
    }

    public void announce(String database, String broker, String http) {
        runFile.write(database, broker, http);
    }

    @Override
    public void close() throws IOException {
        runFile.delete();
        lock.close();
    }
}
