package io.waybill.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

/**
 * CPU time of this process, PostgreSQL and Kafka together, from /proc: the steadiest figure on a busy machine. Counts
 * child processes that have ended, too, as their parent has collected them.
 */
final class CpuTime {
    private static final double TICKS_PER_SECOND = 100;

    private final List<Long> pids;

    CpuTime(long... serverPids) {
        this.pids = LongStream.concat(LongStream.of(ProcessHandle.current().pid()), LongStream.of(serverPids))
                .boxed()
                .toList();
    }

    double seconds() {
        return pids.stream().mapToDouble(CpuTime::tree).sum();
    }

    private static double tree(long pid) {
        double own = stat(pid);
        double children = ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::children)
                .mapToDouble(child -> ProcessHandle.current().pid() == pid ? 0 : stat(child.pid()))
                .sum();
        return own + children;
    }

    /** User and system time, own and of collected children: fields 14 to 17, counted after the name in parentheses. */
    private static double stat(long pid) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
            long ticks = 0;
            for (int field = 11; field <= 14; field++) {
                ticks += Long.parseLong(fields[field]);
            }
            return ticks / TICKS_PER_SECOND;
        } catch (IOException e) {
            if (ProcessHandle.of(pid).isEmpty()) {
                return 0; // ended while we looked
            }
            throw new UncheckedIOException(e);
        }
    }
}
