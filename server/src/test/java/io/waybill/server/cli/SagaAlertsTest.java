package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.waybill.micrometer.SagaGauges;
import io.waybill.testkit.servers.DebianPackage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The alert rules for sagas: Prometheus accepts them, they fire when they should, and their metrics exist. */
class SagaAlertsTest {
    private static final Path RULES =
            Path.of("../monitoring/alerts/sagas.yml").toAbsolutePath().normalize();
    private static final Path RUNBOOK = Path.of("../docs/runbooks/sagas.md");
    private static final Pattern METRIC = Pattern.compile("\\bsaga_\\w+");
    private static final Pattern RUNBOOK_LINK = Pattern.compile("runbook: docs/runbooks/sagas.md#(\\S+)");

    @TempDir
    private Path folder;

    @Test
    void everyMetricOfTheRulesIsExposedAndEveryRunbookExists() throws IOException {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:alerts;DB_CLOSE_DELAY=-1");
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        String rules = Files.readString(RULES);
        try (SagaGauges gauges = SagaExposition.on(database, registry)) {
            assertThat(gauges).isNotNull();
            registry.scrape();
            String exposed = registry.scrape();
            assertThat(found(METRIC, 0, rules))
                    .hasSizeGreaterThan(4)
                    .allSatisfy(metric -> assertThat(exposed).contains("# TYPE " + metric + " "));
        }
        String runbook = Files.readString(RUNBOOK).toLowerCase(Locale.ROOT);
        assertThat(found(RUNBOOK_LINK, 1, rules))
                .hasSize(4)
                .allSatisfy(anchor -> assertThat(runbook).contains("\n## " + anchor.replace('-', ' ') + "\n"));
    }

    private static Set<String> found(Pattern pattern, int group, String text) {
        return pattern.matcher(text)
                .results()
                .map(match -> match.group(group))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theRulesFireAndAreSilentAsTheyShould() throws IOException, InterruptedException {
        Path promtool = DebianPackage.unpack("prometheus", Path.of("target", "prometheus"), "usr/bin/promtool");
        Path cases = Files.writeString(folder.resolve("cases.yml"), CASES.formatted(RULES));
        Path log = folder.resolve("promtool.log");
        Process run = new ProcessBuilder(promtool.toString(), "test", "rules", cases.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(run.waitFor()).as(Files.readString(log)).isZero();
        assertThat(Files.readString(log)).contains("SUCCESS");
    }

    /** Two relays report the same values. One saga of "order" is stuck, one of "travel" cannot be undone, "mail" has no engine. */
    private static final String CASES = """
            rule_files: ['%s']
            evaluation_interval: 1m
            tests:
              - interval: 1m
                input_series:
                  - series: 'saga_up{instance="a"}'
                    values: '1x60'
                  - series: 'saga_stuck_count{saga="order",instance="a"}'
                    values: '0x10 1x60'
                  - series: 'saga_stuck_count{saga="order",instance="b"}'
                    values: '0x10 1x60'
                  - series: 'saga_stuck_count{saga="travel",instance="a"}'
                    values: '0x60'
                  - series: 'saga_active_count{saga="travel",status="failed",instance="a"}'
                    values: '2x60'
                  - series: 'saga_active_count{saga="travel",status="compensating",instance="a"}'
                    values: '9x60'
                  - series: 'saga_oldest_active_age_seconds{saga="order",instance="a"}'
                    values: '90000x60'
                  - series: 'saga_oldest_active_age_seconds{saga="mail",instance="a"}'
                    values: '4000x60'
                  - series: 'saga_timer_lag_seconds{saga="mail",instance="a"}'
                    values: '0+60x60'
                  - series: 'saga_timer_lag_seconds{saga="order",instance="a"}'
                    values: '20x60'
                alert_rule_test:
                  - eval_time: 12m
                    alertname: SagaStuck
                  - eval_time: 20m
                    alertname: SagaStuck
                    exp_alerts:
                      - exp_labels: {saga: order, severity: warning}
                        exp_annotations:
                          summary: '1 sagas order wait for a person'
                          description: 'A step or a compensation has used up its attempts. See: waybill sagas list --stuck --saga order'
                          runbook: docs/runbooks/sagas.md#a-step-is-stuck
                promql_expr_test:
                  - expr: sum by (alertname, saga) (ALERTS{alertstate="firing"})
                    eval_time: 20m
                    exp_samples:
                      - {labels: '{alertname="SagaStuck", saga="order"}', value: 1}
                      - {labels: '{alertname="SagaCompensationFailed", saga="travel"}', value: 1}
                      - {labels: '{alertname="SagaTooOld", saga="order"}', value: 1}
                      - {labels: '{alertname="SagaTimerLag", saga="mail"}', value: 1}
                      - {labels: '{alertname="SagaEngineNotAdvancing", saga="mail"}', value: 1}
              - interval: 1m
                input_series:
                  - series: 'saga_up{instance="a"}'
                    values: '0x20'
                promql_expr_test:
                  - expr: sum by (alertname) (ALERTS{alertstate="firing"})
                    eval_time: 10m
                    exp_samples:
                      - {labels: '{alertname="SagasUnreadable"}', value: 1}
            """;
}
