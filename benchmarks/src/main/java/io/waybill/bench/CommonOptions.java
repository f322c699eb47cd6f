package io.waybill.bench;

import io.waybill.bench.contest.BenchServers;
import io.waybill.bench.measure.Run;
import io.waybill.bench.report.Chart;
import io.waybill.bench.report.JsonReport;
import io.waybill.bench.report.Progress;
import io.waybill.bench.report.Section;
import io.waybill.bench.report.Summary;
import io.waybill.bench.report.Table;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every command: servers and output files. */
final class CommonOptions {
    @Option(
            names = "--database",
            paramLabel = "JDBC-URL",
            description =
                    "Address of a PostgreSQL 15 or newer, with user; its schemas waybill_bench_… are dropped. The names postgresql"
                            + " and, for drain and latency, mariadb and h2 start a database (default postgresql).")
    private @Nullable String database;

    @Option(
            names = "--broker",
            paramLabel = "ADDRESS",
            description =
                    "Address of a Kafka (host:port) or, for drain and latency, rabbitmq://host:port or nats://host:port. The names"
                            + " kafka, rabbitmq and nats start a broker (default kafka).")
    private @Nullable String broker;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all runs to this file as JSON")
    private @Nullable Path json;

    @Option(names = "--chart", paramLabel = "FILE.svg", description = "Draw a chart of the results")
    private @Nullable Path chart;

    /** Returns 0, or 1 if a check or a scenario failed. */
    int run(List<? extends Scenario> scenarios) throws Exception {
        List<Run> runs = new ArrayList<>();
        Progress progress = new Progress();
        int failures = 0;
        progress.doing("starting servers");
        try (BenchServers servers = BenchServers.open(database, broker)) {
            BenchContext context = new BenchContext(servers, progress, runs);
            for (Scenario scenario : scenarios) {
                try {
                    scenario.run(context);
                } catch (RuntimeException | java.sql.SQLException e) {
                    failures++;
                    progress.done(scenario.section().scenario() + " was given up: " + e);
                }
            }
        }
        progress.clear();
        List<Section> sections = scenarios.stream().map(Scenario::section).toList();
        for (Section section : sections) {
            Table.print(section, Summary.rows(section, runs), System.out);
        }
        if (json != null) {
            JsonReport.write(json, sections, runs);
        }
        if (chart != null) {
            Chart.write(chart, sections, runs);
        }
        return failures == 0 && runs.stream().allMatch(run -> run.verdict().passed()) ? 0 : 1;
    }
}
