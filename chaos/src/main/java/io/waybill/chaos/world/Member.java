package io.waybill.chaos.world;

import io.waybill.chaos.process.ChildProcess;
import io.waybill.testkit.faults.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A place in the world that one process at a time fills: relay 2, say. Faults end its process and start the next one; one that
 * ends while nobody has told it to is started again by the {@link Keeper}, as an orchestrator would.
 */
public final class Member {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final String name;
    private final TcpProxy link;
    private final Launch launch;
    private final AtomicInteger incarnations = new AtomicInteger();
    private @Nullable ChildProcess process;
    private boolean wanted;
    private boolean suspended;

    /** How a process of this place is started. */
    interface Launch {
        ChildProcess start(Member member, int incarnation) throws IOException;
    }

    Member(String name, TcpProxy link, Launch launch) {
        this.name = name;
        this.link = link;
        this.launch = launch;
    }

    public String name() {
        return name;
    }

    /** Its own way to the database. */
    public TcpProxy link() {
        return link;
    }

    /** Starts a process, unless one runs; does not wait until it is ready. */
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

    /** SIGKILL; returns when it is gone. */
    public synchronized void kill() {
        wanted = false;
        if (process != null) {
            process.kill();
        }
    }

    /** SIGTERM; returns when it is gone, by SIGKILL if it must. */
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

    /** SIGSTOP. */
    public synchronized void suspend() {
        if (running()) {
            suspended = true;
            process().ifPresent(ChildProcess::suspend);
        }
    }

    /** SIGCONT. */
    public synchronized void resume() {
        if (suspended) {
            suspended = false;
            process().ifPresent(ChildProcess::resume);
        }
    }

    /** It may end from now on, at a crash point for instance, and stays away until it is started. */
    public synchronized void letGo() {
        wanted = false;
    }

    /** Tells its process something on standard input; see the programs for what they understand. */
    public synchronized void tell(String command) {
        process().ifPresent(child -> child.tell(command));
    }

    public synchronized boolean running() {
        return process != null && !process.hasEnded();
    }

    /** The process that fills the place, or the last one that did. */
    public synchronized Optional<ChildProcess> process() {
        return Optional.ofNullable(process);
    }

    /** How many processes have filled the place so far. */
    public int incarnations() {
        return incarnations.get();
    }

    /** Whether its process is gone although nobody wanted that. */
    synchronized boolean missing() {
        return wanted && (process == null || process.hasEnded());
    }

    @Override
    public String toString() {
        return name;
    }
}
