package io.waybill.chaos.cluster;

import io.waybill.faults.crash.Crash;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.Commands;
import io.waybill.processes.ConsumerProgram;
import io.waybill.processes.OperatorProgram;
import io.waybill.processes.RelayProgram;
import io.waybill.processes.SagaProgram;
import io.waybill.processes.TransportBug;
import io.waybill.processes.WriterProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts the processes of a cluster. */
final class ProcessLauncher {
    /** Short, so that a broker outage of a few seconds is noticed. */
    private static final String SEND_TIMEOUT = "PT6S";

    private static final String INFO_LOG = "-D" + Commands.LOG_LEVEL + "=INFO";

    private final ClusterOptions options;
    private final Cluster cluster;

    ProcessLauncher(ClusterOptions options, Cluster cluster) {
        this.options = options;
        this.cluster = cluster;
    }

    ChildProcess relay(ClusterProcess process, int number) throws IOException {
        List<String> jvmOptions = new ArrayList<>(List.of(
                INFO_LOG,
                "-D" + Crash.PROPERTY + "=" + Crash.LATER,
                "-D" + RelayProgram.SEND_TIMEOUT + "=" + SEND_TIMEOUT));
        if (options.bug != TransportBug.NONE) {
            jvmOptions.add("-D" + RelayProgram.BUG + "=" + options.bug);
        }
        return ChildProcess.run(
                log(process),
                RelayProgram.class,
                jvmOptions,
                cluster.database().jdbcUrl(process.databaseLink()),
                cluster.broker().bootstrapServers(number),
                process.name(),
                Cluster.LEASE.toString(),
                options.engine.name());
    }

    ChildProcess writer(ClusterProcess process, int number, int incarnation) throws IOException {
        return ChildProcess.run(
                log(process),
                WriterProgram.class,
                List.of(INFO_LOG, "-Xmx64m"),
                cluster.database().jdbcUrl(process.databaseLink()),
                Cluster.TOPIC,
                Integer.toString(options.keys),
                Integer.toString(number),
                options.pause().toString(),
                Long.toString(options.seed * 1_000 + incarnation),
                cluster.histories()
                        .resolve(process.name() + "-" + incarnation + ".tsv")
                        .toString());
    }

    ChildProcess consumer(ClusterProcess process, int incarnation) throws IOException {
        return ChildProcess.run(
                log(process),
                ConsumerProgram.class,
                List.of(INFO_LOG),
                cluster.database().jdbcUrl(process.databaseLink()),
                cluster.broker().bootstrapServers(),
                Cluster.TOPIC,
                Cluster.TOPIC,
                Cluster.GROUP,
                process.name(),
                "10");
    }

    ChildProcess sagaEngine(ClusterProcess process) throws IOException {
        return ChildProcess.run(
                log(process),
                SagaProgram.class,
                List.of(INFO_LOG, "-D" + SagaProgram.BUG + "=" + options.sagaBug),
                cluster.database().jdbcUrl(process.databaseLink()),
                cluster.broker().bootstrapServers(),
                process.name(),
                Integer.toString(Math.max(1, options.sagaRate / Cluster.SAGA_ENGINES)));
    }

    ChildProcess operator() throws IOException {
        return ChildProcess.run(
                cluster.logs().resolve("operator.log"),
                OperatorProgram.class,
                List.of(INFO_LOG, "-Xmx64m"),
                cluster.database().jdbcUrl(),
                options.engine.name());
    }

    private Path log(ClusterProcess process) {
        return cluster.logs().resolve(process.name() + ".log");
    }
}
