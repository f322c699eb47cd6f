package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.waybill.jdbc.JdbcQueue;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.micrometer.OutboxGauges;
import io.waybill.micrometer.RelayMetrics;
import io.waybill.micrometer.SagaGauges;
import io.waybill.server.cli.command.CliContext;
import io.waybill.server.config.Setting;
import io.waybill.server.config.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The reference pages match the program: its commands, its settings and its metrics. */
class ReferenceDocsTest {
    private static final String REGENERATE =
            "Run `mvn -pl server -am test -Dtest=ReferenceDocsTest -Dsurefire.failIfNoSpecifiedTests=false"
                    + " -Dwaybill.docs=write` to regenerate it, and commit the result.";
    private static final Path CLI = Path.of("../docs/cli.md");
    private static final Path OPERATING = Path.of("../docs/operating.md");
    private static final Pattern SETTINGS =
            Pattern.compile("(?s)(<!-- settings: generated -->\n).*?(<!-- settings: end -->)");
    private static final Pattern DOCUMENTED_METRIC =
            Pattern.compile("(?m)^\\| `((?:outbox|saga)_\\w+)(?:\\{[\\w,]+})?` \\|");
    private static final Pattern EXPOSED_METRIC = Pattern.compile("(?m)^# TYPE ((?:outbox|saga)_\\w+) ");

    @Test
    void theCommandReferenceIsTheHelpOfTheProgram() throws IOException {
        StringBuilder page = new StringBuilder("# Command line\n\nThis page is generated from the help texts of the"
                + " program. For examples, exit codes and JSON fields, see [operating](operating.md).\n");
        commands(program(), page);
        check(CLI, page.toString());
    }

    @Test
    void theTableOfSettingsIsTheOneInTheCode() throws IOException {
        String page = Files.readString(OPERATING);
        Matcher section = SETTINGS.matcher(page);
        assertThat(section.find())
                .as("docs/operating.md has a generated section")
                .isTrue();
        check(
                OPERATING,
                page.substring(0, section.start())
                        + section.group(1)
                        + settings()
                        + section.group(2)
                        + page.substring(section.end()));
    }

    @Test
    void everyExposedMetricIsDocumentedAndEveryDocumentedMetricIsExposed() throws IOException {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:metrics;DB_CLOSE_DELAY=-1");
        OutboxSchema.apply(database);
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (OutboxGauges gauges = OutboxGauges.of(JdbcQueue.on(database).view());
                SagaGauges sagas = SagaExposition.on(database, registry)) {
            gauges.bindTo(registry);
            assertThat(sagas).isNotNull();
            RelayMetrics.on(registry);
            registry.scrape(); // lanes appear with the scrape after the first answer
            Set<String> exposed = names(EXPOSED_METRIC, registry.scrape());
            // Each histogram has an additional gauge of its largest value.
            Set<String> documented = names(DOCUMENTED_METRIC, Files.readString(OPERATING));
            assertThat(documented)
                    .isEqualTo(exposed.stream()
                            .filter(name -> !name.endsWith("_max"))
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    private static Set<String> names(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void commands(CommandLine line, StringBuilder page) {
        String name = line.getCommandSpec().qualifiedName();
        page.append("\n## ").append(name).append("\n\n```\n");
        page.append(line.getUsageMessage(Ansi.OFF).stripTrailing()).append("\n```\n");
        line.getSubcommands().values().forEach(command -> commands(command, page));
    }

    private static CommandLine program() {
        PrintWriter nowhere = new PrintWriter(new StringWriter());
        Path folder = Path.of("");
        return new Program(new CliContext(
                        Map.of(), folder, folder, InputStream.nullInputStream(), nowhere, nowhere, false))
                .commandLine();
    }

    private static String settings() {
        StringBuilder table = new StringBuilder("\n| setting | flag | default | meaning |\n|---|---|---|---|\n");
        for (Setting<?> setting : Settings.all()) {
            table.append("| `").append(setting.key());
            table.append("` | `")
                    .append(setting.flag())
                    .append(' ')
                    .append(setting.label().replace("|", "\\|"));
            table.append("` | ").append(setting.defaultValue() == null ? "" : "`" + setting.defaultValue() + "`");
            table.append(" | ")
                    .append(setting.description().replace("|", "\\|"))
                    .append(" |\n");
        }
        return table.append('\n').toString();
    }

    private static void check(Path page, String expected) throws IOException {
        if ("write".equals(System.getProperty("waybill.docs"))) {
            Files.writeString(page, expected);
        }
        assertThat(Files.exists(page) ? Files.readString(page) : "")
                .as("%s differs from the program. %s", page.getFileName(), REGENERATE)
                .isEqualTo(expected);
    }
}
