package io.waybill.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

/**
 * A copy of a running server's cluster, for a standby. The archive of binaries has no {@code pg_basebackup}, so this class
 * does the same: between the calls that start and stop a backup, it copies all files except those of the running server
 * itself. The standby receives the write-ahead log by streaming.
 */
final class BaseBackup extends SimpleFileVisitor<Path> {
    private static final Set<String> OWN_FILES = Set.of("postmaster.pid", "postmaster.opts", "backup_label");

    /** Directories that must exist and whose contents the standby creates. */
    private static final Set<String> EMPTIED =
            Set.of("pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp");

    private final Path source;
    private final Path target;

    private BaseBackup(Path source, Path target) {
        this.source = source;
        this.target = target;
    }

    static void take(LocalPostgres primary, Path target) throws IOException {
        try (Connection connection = DriverManager.getConnection(primary.jdbcUrl());
                Statement statement = connection.createStatement()) {
            // Version 15 renamed both functions.
            boolean renamed = connection.getMetaData().getDatabaseMajorVersion() >= 15;
            statement.execute(
                    renamed
                            ? "SELECT pg_backup_start('standby', fast => true)"
                            : "SELECT pg_start_backup('standby', fast => true, exclusive => false)");
            Files.walkFileTree(
                    primary.folder().resolve(PostgresFolder.DATA),
                    new BaseBackup(primary.folder().resolve(PostgresFolder.DATA), target));
            try (ResultSet row = statement.executeQuery(
                    renamed
                            ? "SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)"
                            : "SELECT labelfile FROM pg_stop_backup(exclusive => false, wait_for_archive => false)")) {
                row.next();
                Files.writeString(target.resolve("backup_label"), row.getString(1));
            }
            Files.createFile(target.resolve("standby.signal"));
        } catch (SQLException e) {
            throw new LocalServerException(
                    "Cannot copy PostgreSQL on " + primary.folder() + " for a standby: " + e.getMessage()
                            + " Start it first, with wal_level = replica.",
                    e);
        }
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
        Path relative = source.relativize(folder);
        if (relative.getNameCount() > 1 && emptied(relative) && !relative.startsWith("pg_wal")) {
            return FileVisitResult.SKIP_SUBTREE;
        }
        Files.copy(folder, target.resolve(relative), StandardCopyOption.COPY_ATTRIBUTES);
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        Path relative = source.relativize(file);
        if (!OWN_FILES.contains(relative.toString()) && !emptied(relative)) {
            try {
                Files.copy(file, target.resolve(relative), StandardCopyOption.COPY_ATTRIBUTES);
            } catch (NoSuchFileException vanished) {
                // Dropped in the meantime; the standby replays the drop from the log.
            }
        }
        return FileVisitResult.CONTINUE;
    }

    private static boolean emptied(Path relative) {
        return EMPTIED.contains(relative.getName(0).toString());
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failed) throws IOException {
        if (failed instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw failed;
    }
}
