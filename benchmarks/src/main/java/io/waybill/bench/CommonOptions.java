package io.waybill.bench;

import io.waybill.bench.contest.Servers;
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

/** Options of every command: where it measures, and where the figures go. */
final class CommonOptions {
    @Option(
            names = "--database",
            paramLabel = "JDBC-URL",
            description =
                    "a PostgreSQL 15 or newer, with user; its schemas waybill_bench_… are dropped. Or postgresql, and for drain"
                            + " and latency mariadb or h2, for one of its own. An embedded PostgreSQL otherwise.")
    private @Nullable String database;

    @Option(
            names = "--broker",
            paramLabel = "ADDRESS",
            description =
                    "a Kafka (host:port) or, for drain and latency, rabbitmq://host:port or nats://host:port. Or kafka, rabbitmq"
                            + " or nats for one of its own. An embedded Kafka otherwise.")
    private @Nullable String broker;

    @Option(names = "--json", paramLabel = "FILE", description = "write every run there as JSON")
    private @Nullable Path json;

    @Option(names = "--chart", paramLabel = "FILE.svg", description = "draw the results")
    private @Nullable Path chart;

    /** @return 0, or 1 when a check failed or a scenario could not be finished */
    int run(List<? extends Scenario> scenarios) throws Exception {
        List<Run> runs = new ArrayList<>();
        Progress progress = new Progress();
        int failures = 0;
        progress.doing("starting servers");
        try (Servers servers = Servers.open(database, broker)) {
            Contest contest = new Contest(servers, progress, runs);
            for (Scenario scenario : scenarios) {
                try {
                    scenario.run(contest);
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
