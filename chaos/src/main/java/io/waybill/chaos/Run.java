package io.waybill.chaos;

import io.waybill.chaos.check.CheckResult;
import io.waybill.chaos.check.ResourceUsage;
import io.waybill.chaos.check.RunChecker;
import io.waybill.chaos.check.Sampler;
import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterOptions;
import io.waybill.chaos.cluster.ClusterProcess;
import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.chaos.fault.Fault;
import io.waybill.chaos.report.ProgressOutput;
import io.waybill.chaos.report.RunResult;
import io.waybill.chaos.schedule.InjectedFault;
import io.waybill.chaos.schedule.Schedule;
import io.waybill.chaos.schedule.ScheduleRunner;
import io.waybill.faults.saga.SagaBug;
import io.waybill.jdbc.Engine;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.TransportBug;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * One run on one engine: starts a cluster, injects faults, ends them, waits until the backlog is published, and checks the result.
 *
 * @param command the command line that repeats the schedule
 */
record Run(
        Engine engine,
        long seed,
        Duration length,
        List<Fault> faults,
        ClusterSize size,
        int keys,
        int rate,
        int sagaRate,
        TransportBug bug,
        SagaBug sagaBug,
        Path folder,
        String command) {
    private static final int WARM_UP_EVENTS = 100;
    private static final Duration WARM_UP_LIMIT = Duration.ofMinutes(2);

    RunResult execute(ProgressOutput live) throws IOException, SQLException, InterruptedException {
        Instant at = Instant.now();
        live.say("Engine " + engine.label() + ": starting PostgreSQL, Kafka, " + size.relays() + " relays, "
                + size.writers() + " writers, " + size.consumers() + " consumers …");
        ClusterOptions options = new ClusterOptions(engine, size, folder)
                .keys(keys)
                .rate(rate)
                .sagaRate(sagaRate)
                .seed(seed)
                .bug(bug)
                .sagaBug(sagaBug);
        List<Fault> concerned =
                faults.stream().filter(fault -> fault.concerns(engine)).toList();
        concerned.forEach(fault -> fault.prepare(options));
        try (Cluster cluster = Cluster.create(options)) {
            ResourceUsage before = warmUp(cluster);
            live.heading();
            List<InjectedFault> injected;
            Sampler sampler = Sampler.start(cluster, live::sampled);
            try (sampler) {
                injected =
                        ScheduleRunner.run(Schedule.draw(seed, length, concerned, size), cluster, length, live::begins);
            }
            live.say("All faults have ended; publishing the backlog and checking …");
            CheckResult result = RunChecker.check(cluster, injected, before);
            return new RunResult(
                    engine.label(),
                    seed,
                    at,
                    length,
                    size,
                    injected,
                    sampler.samples(),
                    cluster.restarts(),
                    result,
                    folder,
                    command);
        }
    }

    /** Starts all processes and waits until consumers receive events. */
    private static ResourceUsage warmUp(Cluster cluster) throws IOException, SQLException, InterruptedException {
        List<ClusterProcess> first = Stream.concat(cluster.relays().stream(), cluster.consumers().stream())
                .toList();
        first.forEach(ClusterProcess::start);
        cluster.writers().forEach(ClusterProcess::start);
        cluster.sagas().forEach(ClusterProcess::start);
        for (ClusterProcess process : cluster.processes()) {
            process.process().ifPresent(ChildProcess::awaitStarted);
        }
        long limit = System.nanoTime() + WARM_UP_LIMIT.toNanos();
        while (cluster.database().number("SELECT count(*) FROM applied") < WARM_UP_EVENTS) {
            if (System.nanoTime() > limit) {
                throw new IllegalStateException("No events arrive, although no fault was injected yet. See the logs in "
                        + cluster.logs() + ".");
            }
            Thread.sleep(100);
        }
        return ResourceUsage.of(first);
    }
}
