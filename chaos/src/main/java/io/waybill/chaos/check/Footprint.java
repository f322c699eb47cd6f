package io.waybill.chaos.check;

import io.waybill.chaos.process.ChildProcess;
import io.waybill.chaos.world.Member;
import io.waybill.chaos.world.World;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** I10: what the relays and consumers hold of the machine, at the beginning and at the end. */
public record Footprint(long threads, long files) {
    /** A pool that has grown, a connection to a broker that came back. */
    private static final int SLACK = 24;

    private static final String SESSIONS =
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";

    /** The largest of all that run. */
    public static Footprint of(List<Member> members) throws IOException {
        long threads = 0;
        long files = 0;
        for (Member member : members) {
            if (member.running()) {
                Path process = Path.of(
                        "/proc",
                        Long.toString(member.process().map(ChildProcess::pid).orElseThrow()));
                threads = Math.max(threads, count(process.resolve("task")));
                files = Math.max(files, count(process.resolve("fd")));
            }
        }
        return new Footprint(threads, files);
    }

    private static long count(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.count();
        }
    }

    /** While everything still runs, at rest. */
    List<String> violations(Footprint now, World world) throws SQLException {
        List<String> violations = new ArrayList<>();
        if (now.threads > threads + SLACK) {
            violations.add("a process has " + now.threads + " threads, and had " + threads + " at the beginning");
        }
        if (now.files > files + SLACK) {
            violations.add("a process has " + now.files + " files open, and had " + files + " at the beginning");
        }
        long open = world.database().number(SESSIONS + " AND state LIKE 'idle in transaction%'");
        if (open > 0) {
            violations.add(open + " transactions are open, and nobody works");
        }
        return violations;
    }

    /** When every process has been stopped in order. */
    static List<String> leftBehind(World world) throws SQLException, InterruptedException {
        List<String> violations = new ArrayList<>();
        long sessions = world.database().number(SESSIONS);
        for (int i = 0; sessions > 0 && i < 50; i++) {
            Thread.sleep(100); // the server notices the end of a process a moment later
            sessions = world.database().number(SESSIONS);
        }
        if (sessions > 0) {
            violations.add(sessions + " database sessions are left, and every process has ended");
        }
        long owned = world.database().number("SELECT count(*) FROM outbox_lanes WHERE owner <> ''");
        if (owned > 0) {
            violations.add(owned + " lanes still have an owner, and every relay has left in order");
        }
        return violations;
    }
}
