package io.waybill.server.cli;

import io.waybill.internal.Secrets;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.doctor.BrokerDoctor;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import io.waybill.server.problem.Finding.Level;
import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "doctor",
        description = {
            "Check the database, its schema, privileges, durability and clock, and the broker and its limits. Print a remedy"
                    + " for each problem.",
            "Exits with 0 if there are only warnings. Otherwise the first failure decides: 3 database, 4 broker, 2 setting,"
                    + " 1 topic."
        },
        footerHeading = "%nExample:%n",
        footer = {
            "  ./waybill doctor --database jdbc:postgresql://db/shop --broker kafka://k1:9092 --topic order.placed"
        })
final class DoctorCommand extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Option(names = "--topic", paramLabel = "TOPIC", description = "Also check this topic; repeatable.")
    private List<String> topics = new ArrayList<>();

    @Override
    protected Set<String> settings() {
        return Set.of("database", "engine", "layout", "broker", "outbox", "data-dir");
    }

    @Override
    protected Exit run() {
        Configuration configuration = configuration();
        List<Finding> findings = new ArrayList<>();
        findings.addAll(findings("database", () -> database().examine(configuration)));
        findings.addAll(findings(
                "broker",
                () -> BrokerDoctor.examine(
                        broker(), configuration, topics, configuration.get(Settings.OUTBOX_MAX_PAYLOAD))));
        Exit exit = findings.stream()
                .filter(finding -> finding.level() == Level.FAILURE)
                .map(Finding::exit)
                .findFirst()
                .orElse(Exit.OK);
        if (json.wanted()) {
            json(findings, exit);
        } else {
            print(findings);
        }
        return exit;
    }

    /** Reports a missing or invalid setting as a finding, so that the other server is still checked. */
    private static List<Finding> findings(String server, Supplier<List<Finding>> examination) {
        try {
            return examination.get();
        } catch (Problem problem) {
            return List.of(Finding.failure(server, String.valueOf(problem.getMessage()), "", problem.exit()));
        }
    }

    private void json(List<Finding> findings, Exit exit) {
        var result = Json.object().put("healthy", exit == Exit.OK);
        var list = result.putArray("findings");
        for (Finding finding : findings) {
            list.addObject()
                    .put("check", finding.check())
                    .put("level", finding.level().name().toLowerCase(Locale.ROOT))
                    .put("detail", finding.detail())
                    .put("remedy", finding.remedy());
        }
        output().json(result);
    }

    private void print(List<Finding> findings) {
        int width = findings.stream()
                        .mapToInt(finding -> finding.check().length())
                        .max()
                        .orElse(0)
                + 2;
        for (Finding finding : findings) {
            String mark = switch (finding.level()) {
                case OK -> output().green("ok  ");
                case WARNING -> output().yellow("warn");
                case FAILURE -> output().red("FAIL");
            };
            output().line(mark + "  " + pad(finding.check(), width)
                    + TerminalText.escape(Secrets.maskIn(finding.detail())));
            if (!finding.remedy().isEmpty()) {
                output().line("      " + pad("", width) + "→ " + TerminalText.escape(finding.remedy()));
            }
        }
    }

    private static String pad(String text, int width) {
        return TerminalText.escape(text) + " ".repeat(Math.max(0, width - text.length()));
    }
}
