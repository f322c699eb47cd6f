package io.waybill.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The user's cache of server programs: {@code waybill} in {@code XDG_CACHE_HOME}, or else in {@code ~/.cache}.
 *
 * <p>A folder of the cache appears by a rename, under a lock. So it is either complete or absent, also when several JVMs
 * ask for it at once or one dies while it unpacks.
 */
public final class ProgramCache {

    /** A file lock excludes other JVMs; these exclude the other threads of this JVM. */
    private static final Map<String, Object> LOCKS = new ConcurrentHashMap<>();

    private ProgramCache() {}

    /** Fills a new folder. */
    @FunctionalInterface
    public interface Filler {
        void fill(Path folder) throws IOException;
    }

    /** Returns the folder with this name, after filling it if it is absent. */
    public static Path folder(String name, Filler filler) throws IOException {
        Path folder = root().resolve(name);
        synchronized (LOCKS.computeIfAbsent(name, unused -> new Object())) {
            if (!Files.exists(folder)) {
                create(folder, filler);
            }
        }
        return folder;
    }

    private static void create(Path folder, Filler filler) throws IOException {
        Files.createDirectories(root());
        Path lockFile = folder.resolveSibling(folder.getFileName() + ".lock");
        try (FileChannel lock = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            lock.lock();
            if (Files.exists(folder)) {
                return; // another JVM created it while this one waited for the lock
            }
            Path partial = folder.resolveSibling(folder.getFileName() + ".partial");
            FolderTree.delete(partial); // a JVM that was killed leaves one
            Files.createDirectory(partial);
            try {
                filler.fill(partial);
                Files.move(partial, folder, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                FolderTree.delete(partial);
            }
        }
    }

    private static Path root() {
        String caches = System.getenv("XDG_CACHE_HOME");
        Path root = caches == null || caches.isBlank()
                ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(caches);
        return root.resolve("waybill");
    }
}
