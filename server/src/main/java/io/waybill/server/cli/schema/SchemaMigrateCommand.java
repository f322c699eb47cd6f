package io.waybill.server.cli.schema;

import io.waybill.jdbc.Engine;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@CommandLine.Command(
        name = "migrate",
        description = {
            "Move the outbox to another engine. Events, states, order, dead letters and grants are kept.",
            "The move is one transaction. Stop the relays first. Writers wait while the events are copied."
        },
        footerHeading = "%nExample:%n",
        footer = {"  ./waybill schema migrate --to journal --database jdbc:postgresql://db/shop"})
final class SchemaMigrateCommand extends Command {
    @Option(names = "--to", required = true, paramLabel = "journal|queue", description = "The engine to move to.")
    @SuppressWarnings("NullAway.Init")
    private String to;

    @Mixin
    private FenceOption fence = new FenceOption();

    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    protected Set<String> settings() {
        return Set.of("database", "data-dir");
    }

    @Override
    protected Exit run() {
        OutboxTables.layout(configuration()).ifPresent(layout -> {
            throw Problem.usage("Layout " + layout.name()
                    + " is served by the queue engine. Remove the setting layout to move Waybill's own outbox.");
        });
        Engine engine = Stream.of(Engine.values())
                .filter(known -> known.label().equals(to.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> Problem.usage("--to must be journal or queue, not '" + to + "'."));
        OutboxDatabase database = database();
        OptionalLong pending = database.migrate(engine, fence.wanted());
        if (json.wanted()) {
            output().json(Json.object()
                    .put("engine", engine.label())
                    .put("moved", pending.isPresent())
                    .put("pending", pending.orElse(0)));
        } else if (pending.isEmpty()) {
            output().line("The outbox in " + database.address() + " has the " + engine.label() + " engine already.");
        } else {
            output().line("The outbox in " + database.address() + " has the " + engine.label() + " engine now, with "
                    + Format.count(pending.getAsLong())
                    + " events pending. Set engine: " + engine.label()
                    + " where an engine is configured, and start the relays.");
        }
        return Exit.OK;
    }
}
