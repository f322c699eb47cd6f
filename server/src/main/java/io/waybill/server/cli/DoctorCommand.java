package io.waybill.server.cli;

import io.waybill.internal.Secrets;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.ServerLookup;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.doctor.BrokerDoctor;
import io.waybill.server.doctor.DatabaseDoctor;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import io.waybill.server.problem.Finding.Level;
import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
        List<Configuration> outboxes = outboxes();
        Map<BrokerKey, String> examined = new HashMap<>();
        Map<String, List<Finding>> findings = new LinkedHashMap<>();
        for (Configuration outbox : outboxes) {
            findings.put(outbox.outbox().orElse(""), examine(outbox, examined));
        }
        Exit exit = findings.values().stream()
                .flatMap(List::stream)
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

    private record BrokerKey(BrokerAddress broker, Map<String, String> settings, int maxPayload) {}

    /** @param examined the outbox whose report contains the broker, for each broker; each is examined once */
    private List<Finding> examine(Configuration outbox, Map<BrokerKey, String> examined) {
        ServerLookup servers = servers(outbox);
        List<Finding> findings = new ArrayList<>();
        findings.addAll(findings("database", () -> DatabaseDoctor.examine(servers.database(), outbox)));
        findings.addAll(findings("broker", () -> {
            BrokerAddress broker = servers.broker();
            int maxPayload = outbox.get(Settings.OUTBOX_MAX_PAYLOAD);
            String other = examined.putIfAbsent(
                    new BrokerKey(broker, outbox.brokerSettings(), maxPayload),
                    outbox.outbox().orElse(""));
            return other == null
                    ? BrokerDoctor.examine(broker, outbox, topics, maxPayload)
                    : List.of(Finding.ok("broker", "the same as that of outbox " + other));
        }));
        return findings;
    }

    /** Reports a missing or invalid setting as a finding, so that the other server is still checked. */
    private static List<Finding> findings(String server, Supplier<List<Finding>> examination) {
        try {
            return examination.get();
        } catch (Problem problem) {
            return List.of(Finding.failure(server, String.valueOf(problem.getMessage()), "", problem.exit()));
        }
    }

    /** @param findings by the name of the outbox, which is empty if there are no names */
    private void json(Map<String, List<Finding>> findings, Exit exit) {
        var result = Json.object().put("healthy", exit == Exit.OK);
        var list = result.putArray("findings");
        findings.forEach((outbox, found) -> {
            for (Finding finding : found) {
                var object = list.addObject();
                if (!outbox.isEmpty()) {
                    object.put("outbox", outbox);
                }
                object.put("check", finding.check())
                        .put("level", finding.level().name().toLowerCase(Locale.ROOT))
                        .put("detail", finding.detail())
                        .put("remedy", finding.remedy());
            }
        });
        output().json(result);
    }

    private void print(Map<String, List<Finding>> findings) {
        findings.forEach((outbox, found) -> {
            if (!outbox.isEmpty()) {
                output().line(output().bold("outbox " + outbox));
            }
            print(found);
        });
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
