package io.waybill.faults.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** An in-memory file system of a few megabytes that can be filled completely and freed again. */
public final class SmallDisk implements AutoCloseable {
    /** A larger file system is never filled, because it could be the disk of the machine. */
    private static final long LARGEST = 4L << 30;

    private static final int PIECE = 4_096; // a page, the smallest unit of allocation

    private final Path folder;

    private SmallDisk(Path folder) {
        this.folder = folder;
    }

    /**
     * Mounts the file system on a folder, which is created if absent.
     *
     * @return empty when this process may not mount, as without root
     */
    public static Optional<SmallDisk> mount(Path folder, int megabytes) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create " + folder, e);
        }
        boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", folder.toString());
        return mounted ? under(folder) : Optional.empty();
    }

    /** Returns the small disk that contains this folder, if any. */
    public static Optional<SmallDisk> under(Path folder) {
        try {
            FileStore store = Files.getFileStore(folder);
            Path root = folder.toRealPath();
            while (root.getParent() != null
                    && Files.getFileStore(root.getParent()).equals(store)) {
                root = root.getParent();
            }
            boolean small = store.type().equals("tmpfs") && store.getTotalSpace() <= LARGEST;
            return small ? Optional.of(new SmallDisk(root)) : Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot tell which disk holds " + folder, e);
        }
    }

    public Path folder() {
        return folder;
    }

    /** Fills all remaining space, including space that is freed during the call. */
    public void fill() {
        ByteBuffer piece = ByteBuffer.allocate(PIECE);
        try (FileChannel ballast = FileChannel.open(ballast(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            while (true) {
                ballast.write(piece.rewind());
            }
        } catch (IOException full) {
            // the disk is full, as intended
        }
    }

    /** Frees the space. */
    public void free() {
        try {
            Files.deleteIfExists(ballast());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot free " + folder, e);
        }
    }

    private Path ballast() {
        return folder.resolve("ballast");
    }

    private static boolean run(String... command) {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException noSuchProgram) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while running " + String.join(" ", command), e);
        }
    }

    /** Unmounts the file system, which deletes its files. If a process still uses it, the unmount happens when that process ends. */
    @Override
    public void close() {
        run("umount", "--lazy", folder.toString());
    }
}
