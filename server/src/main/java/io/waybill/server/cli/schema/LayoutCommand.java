package io.waybill.server.cli.schema;

import io.waybill.WaybillException;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutFinding;
import io.waybill.jdbc.layout.LayoutFinding.Level;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.config.Settings;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@CommandLine.Command(
        name = "layout",
        description =
                "List and show layouts, which describe existing outbox tables, and check a table against a layout.",
        synopsisSubcommandLabel = "list|show|check",
        subcommands = {LayoutCommand.ListAll.class, LayoutCommand.Show.class, LayoutCommand.Check.class})
public final class LayoutCommand extends CommandGroup {
    @CommandLine.Command(name = "list", description = "List the built-in layouts. Does not connect.")
    static final class ListAll extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Override
        protected Set<String> settings() {
            return Set.of();
        }

        @Override
        protected Exit run() {
            Table table = new Table("LAYOUT", "TABLE", "DESCRIPTION");
            for (String name : Layout.names()) {
                Layout layout = Layout.of(name, context().workingFolder());
                if (json.wanted()) {
                    output().json(Json.object()
                            .put("name", name)
                            .put("table", layout.table())
                            .put("description", layout.description()));
                } else {
                    table.row(name, layout.table(), layout.description());
                }
            }
            if (!json.wanted()) {
                output().table(table);
            }
            return Exit.OK;
        }
    }

    @CommandLine.Command(
            name = "show",
            description = "Print a layout, for example as a template for your own. Does not connect.",
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill layout show claimed-status > outbox.properties"})
    static final class Show extends Command {
        @Parameters(index = "0", paramLabel = "NAME|FILE", description = "Name from `waybill layout list`, or a file.")
        @SuppressWarnings("NullAway.Init")
        private String name;

        @Override
        protected Set<String> settings() {
            return Set.of();
        }

        @Override
        protected Exit run() {
            try {
                String text = Layout.text(name, context().workingFolder());
                Layout.parse(name, text);
                output().line(text.stripTrailing());
                return Exit.OK;
            } catch (WaybillException e) {
                throw new Problem(Exit.USAGE, String.valueOf(e.getMessage()), e);
            }
        }
    }

    @CommandLine.Command(
            name = "check",
            description = {
                "Check whether a table can be served with a layout, at what cost, and print the SQL that improves it. Runs"
                        + " the statements of the layout on one row and rolls them back.",
                "Exits with 0 if the table can be served, 1 if it can be served at a cost, and 2 if it cannot be served."
            },
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill layout check claimed-status --database jdbc:postgresql://db/shop"})
    static final class Check extends Command {
        @Parameters(
                index = "0",
                arity = "0..1",
                paramLabel = "NAME|FILE",
                description = "Name from `waybill layout list`, or a file (default: the setting layout).")
        private @Nullable String name;

        @Mixin
        private JsonOption json = new JsonOption();

        @Override
        protected Set<String> settings() {
            return Set.of("database", "layout", "data-dir");
        }

        @Override
        protected Exit run() {
            Layout layout = layout();
            List<LayoutFinding> findings = database().check(layout);
            Level worst = findings.stream()
                    .map(LayoutFinding::level)
                    .max(Level::compareTo)
                    .orElse(Level.FINE);
            if (json.wanted()) {
                json(layout, worst, findings);
            } else {
                findings.forEach(this::print);
                output().line(verdict(layout, worst));
            }
            return worst == Level.FINE ? Exit.OK : worst == Level.COSTS ? Exit.FAILED : Exit.USAGE;
        }

        private Layout layout() {
            if (name == null) {
                return OutboxTables.layout(configuration())
                        .orElseThrow(() ->
                                Problem.usage("No layout is given. Pass a name from `waybill layout list`, a file, or "
                                        + Settings.LAYOUT.flag() + "."));
            }
            try {
                return Layout.of(name, context().workingFolder());
            } catch (WaybillException e) {
                throw new Problem(Exit.USAGE, String.valueOf(e.getMessage()), e);
            }
        }

        private void json(Layout layout, Level worst, List<LayoutFinding> findings) {
            var result = Json.object()
                    .put("layout", layout.name())
                    .put("table", layout.table())
                    .put("verdict", label(worst));
            var list = result.putArray("findings");
            for (LayoutFinding finding : findings) {
                list.addObject()
                        .put("what", finding.what())
                        .put("level", label(finding.level()))
                        .put("detail", finding.detail())
                        .put("remedy", finding.remedy());
            }
            output().json(result);
        }

        private static String label(Level level) {
            return level.name().toLowerCase(Locale.ROOT);
        }

        private void print(LayoutFinding finding) {
            String mark = switch (finding.level()) {
                case FINE -> output().green("fine   ");
                case COSTS -> output().yellow("costs  ");
                case REFUSED -> output().red("REFUSED");
            };
            output().line(mark + "  " + TerminalText.escape(finding.what()) + ": "
                    + TerminalText.escape(finding.detail()));
            if (!finding.remedy().isEmpty()) {
                output().line("         → " + TerminalText.escape(finding.remedy()));
            }
        }

        private static String verdict(Layout layout, Level worst) {
            return switch (worst) {
                case FINE ->
                    layout.table() + " can be served: waybill relay --layout " + layout.name() + " --apply-schema";
                case COSTS -> layout.table() + " can be served, at the costs above.";
                case REFUSED -> layout.table() + " cannot be served with this layout.";
            };
        }
    }
}
