package io.waybill.chaos.check;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterProcess;
import io.waybill.processes.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The threads and open files of relays and consumers, to find leaks (I10). */
public record ResourceUsage(long threads, long files) {
    /** Normal growth, for example of a connection pool. */
    private static final int SLACK = 24;

    private static final String SESSIONS =
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";

    /** Measures the largest values of all running processes. */
    public static ResourceUsage of(List<ClusterProcess> processes) throws IOException {
        long threads = 0;
        long files = 0;
        for (ClusterProcess process : processes) {
            if (process.running()) {
                Path proc = Path.of(
                        "/proc",
                        Long.toString(process.process().map(ChildProcess::pid).orElseThrow()));
                threads = Math.max(threads, count(proc.resolve("task")));
                files = Math.max(files, count(proc.resolve("fd")));
            }
        }
        return new ResourceUsage(threads, files);
    }

    private static long count(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.count();
        }
    }

    /** Checks while all processes run and no event is left to publish. */
    List<String> violations(ResourceUsage now, Cluster cluster) throws SQLException, InterruptedException {
        List<String> violations = new ArrayList<>();
        if (now.threads > threads + SLACK) {
            violations.add("a process has " + now.threads + " threads, but had " + threads + " at the beginning");
        }
        if (now.files > files + SLACK) {
            violations.add("a process has " + now.files + " open files, but had " + files + " at the beginning");
        }
        // Relays and engines look for work all the time, so a moment with an open transaction is normal.
        long open = awaitNone(cluster, SESSIONS + " AND state LIKE 'idle in transaction%'");
        if (open > 0) {
            violations.add(open + " transactions are open, although no event is left");
        }
        return violations;
    }

    /** Checks after all processes were stopped cleanly. */
    static List<String> leftBehind(Cluster cluster) throws SQLException, InterruptedException {
        List<String> violations = new ArrayList<>();
        long sessions = awaitNone(cluster, SESSIONS); // the server detects the end of a connection with a delay
        if (sessions > 0) {
            violations.add(sessions + " database sessions are open, although all processes have ended");
        }
        long owned = cluster.database().number("SELECT count(*) FROM outbox_lanes WHERE owner <> ''");
        if (owned > 0) {
            violations.add(owned + " lanes have an owner, although all relays stopped cleanly");
        }
        return violations;
    }

    /** Counts again and again for some seconds. Returns 0 as soon as there is none, else the last count. */
    private static long awaitNone(Cluster cluster, String count) throws SQLException, InterruptedException {
        long found = cluster.database().number(count);
        for (int i = 0; found > 0 && i < 50; i++) {
            Thread.sleep(100);
            found = cluster.database().number(count);
        }
        return found;
    }
}
