package io.waybill.chaos.cluster;

import io.waybill.processes.ChildProcess;
import io.waybill.testkit.network.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A process of the cluster, for example relay 2, that can be restarted. Faults end and start it. If it ends
 * unexpectedly, the {@link Supervisor} restarts it, as an orchestrator does.
 */
public final class ClusterProcess {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final String name;
    private final TcpProxy databaseLink;
    private final Launch launch;
    private final AtomicInteger incarnations = new AtomicInteger();
    private @Nullable ChildProcess process;
    private boolean wanted;
    private boolean suspended;

    /** Starts the operating system process. */
    interface Launch {
        ChildProcess start(ClusterProcess process, int incarnation) throws IOException;
    }

    ClusterProcess(String name, TcpProxy databaseLink, Launch launch) {
        this.name = name;
        this.databaseLink = databaseLink;
        this.launch = launch;
    }

    public String name() {
        return name;
    }

    /** The proxy to the database for this process. */
    public TcpProxy databaseLink() {
        return databaseLink;
    }

    /** Starts the process unless it runs. Does not wait until it is ready. */
    public synchronized void start() {
        wanted = true;
        if (process == null || process.hasEnded()) {
            try {
                process = launch.start(this, incarnations.incrementAndGet());
                suspended = false;
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot start " + name, e);
            }
        }
    }

    /** Sends SIGKILL and waits for the end. */
    public synchronized void kill() {
        wanted = false;
        if (process != null) {
            process.kill();
        }
    }

    /** Sends SIGTERM and waits for the end. Sends SIGKILL if it takes too long. */
    public synchronized void stop() throws InterruptedException {
        wanted = false;
        if (process != null) {
            resume();
            process.terminate();
            if (!process.endsWithin(PATIENCE)) {
                process.kill();
            }
        }
    }

    /** Sends SIGSTOP. */
    public synchronized void suspend() {
        if (running()) {
            suspended = true;
            process().ifPresent(ChildProcess::suspend);
        }
    }

    /** Sends SIGCONT. */
    public synchronized void resume() {
        if (suspended) {
            suspended = false;
            process().ifPresent(ChildProcess::resume);
        }
    }

    /** From now on the process may end, for example at a crash point, and is not restarted until {@link #start}. */
    public synchronized void allowExit() {
        wanted = false;
    }

    /** Writes a command to the standard input of the process. The programs document their commands. */
    public synchronized void tell(String command) {
        process().ifPresent(child -> child.tell(command));
    }

    public synchronized boolean running() {
        return process != null && !process.hasEnded();
    }

    /** The current or last operating system process. */
    public synchronized Optional<ChildProcess> process() {
        return Optional.ofNullable(process);
    }

    /** The number of operating system processes so far. */
    public int incarnations() {
        return incarnations.get();
    }

    /** Whether the process ended unexpectedly. */
    synchronized boolean missing() {
        return wanted && (process == null || process.hasEnded());
    }

    @Override
    public String toString() {
        return name;
    }
}
