package io.waybill.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Reads the CPU time of this process, PostgreSQL and Kafka from /proc, the most stable figure on a busy machine. Includes child
 * processes that have ended and were collected by their parent.
 */
public final class CpuTime {
    private static final double TICKS_PER_SECOND = 100;

    private final OptionalLong postgres;
    private final OptionalLong kafka;

    public CpuTime(OptionalLong postgresPid, OptionalLong kafkaPid) {
        this.postgres = postgresPid;
        this.kafka = kafkaPid;
    }

    public Cpu now() {
        return new Cpu(own(ProcessHandle.current().pid()), tree(postgres), tree(kafka));
    }

    /** Returns the CPU time of one process without its children. */
    public static double own(long pid) {
        return stat(pid, 12);
    }

    private static double tree(OptionalLong pid) {
        if (pid.isEmpty()) {
            return Double.NaN;
        }
        return stat(pid.getAsLong(), 14)
                + ProcessHandle.of(pid.getAsLong()).stream()
                        .flatMap(ProcessHandle::children)
                        .mapToDouble(child -> stat(child.pid(), 14))
                        .sum();
    }

    /** Fields 14 and 15 of the line, or up to 17 with collected children, counted after the name in parentheses. */
    private static double stat(long pid, int last) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
            long ticks = 0;
            for (int field = 11; field <= last; field++) {
                ticks += Long.parseLong(fields[field]);
            }
            return ticks / TICKS_PER_SECOND;
        } catch (IOException e) {
            if (ProcessHandle.of(pid).isEmpty()) {
                return 0; // the process has ended
            }
            throw new UncheckedIOException(e);
        }
    }
}
