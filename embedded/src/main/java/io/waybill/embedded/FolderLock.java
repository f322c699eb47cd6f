package io.waybill.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Prevents two JVMs, or two instances in one JVM, from running servers on the same folder.
 *
 * <p>The kernel releases the lock when the JVM dies, in any way. So if the holder of the lock finds a server process on the
 * folder, the owner of that process is dead, and the holder may end it.
 */
final class FolderLock implements AutoCloseable {

    private final FileChannel channel;

    private FolderLock(FileChannel channel) {
        this.channel = channel;
    }

    static FolderLock take(Path folder) throws IOException {
        Files.createDirectories(folder);
        FileChannel channel =
                FileChannel.open(folder.resolve("waybill.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (tryLock(channel) == null) {
            channel.close();
            throw new LocalServerException("Folder " + folder + " is in use by another running server. Stop the program"
                    + " that owns it, or choose another folder.");
        }
        return new FolderLock(channel);
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException heldByThisJvm) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
