package io.waybill.server.cli;

import io.waybill.internal.Secrets;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.ServerLookup;
import io.waybill.server.cli.command.Table;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Configuration.Shown;
import io.waybill.server.config.Settings;
import io.waybill.server.http.HttpServer;
import io.waybill.server.problem.Exit;
import io.waybill.server.up.RunFile.Running;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

@CommandLine.Command(
        name = "config",
        description = "Print the effective settings and the origin of each. Secrets are masked.",
        footerHeading = "%nExample:%n",
        footer = {
            "  WAYBILL_RELAY_LEASE=30s ./waybill config --json",
            "  ./waybill config --outbox order    the effective settings of one outbox"
        })
final class ConfigCommand extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    protected Set<String> settings() {
        return Set.of("database", "engine", "layout", "broker", "relay", "outbox", "http", "data-dir");
    }

    @Override
    protected Exit run() {
        List<Shown> effective = chosen().shown().stream().map(this::found).toList();
        if (json.wanted()) {
            var settings = Json.object();
            for (Shown setting : effective) {
                settings.putObject(setting.key()).put("value", setting.value()).put("origin", setting.origin());
            }
            output().json(settings);
            return Exit.OK;
        }
        Table table = new Table("SETTING", "VALUE", "FROM");
        for (Shown setting : effective) {
            table.row(setting.key(), setting.value() == null ? "-" : setting.value(), setting.origin());
        }
        output().table(table);
        return Exit.OK;
    }

    /** The settings of the process and the own settings of all outboxes, or the effective settings of one. */
    private Configuration chosen() {
        return choosesOutbox() ? configuration() : allSettings();
    }

    /** Port 0 selects a free port. Shows the port of a running {@code up}, or the preferred one. */
    private Shown port(Shown setting) {
        return servers(chosen())
                .running()
                .map(running -> new Shown(
                        setting.key(),
                        Integer.toString(URI.create(running.http()).getPort()),
                        "running waybill up"))
                .orElseGet(() -> new Shown(
                        setting.key(),
                        Integer.toString(HttpServer.PREFERRED_PORT),
                        setting.origin() + "; another free port when this one is in use"));
    }

    /** A setting without a value may have one at run time: commands find the servers of a running {@code up}. */
    private Shown found(Shown setting) {
        if (setting.key().equals(Settings.HTTP_PORT.key()) && "0".equals(setting.value())) {
            return port(setting);
        }
        if (setting.value() != null) {
            return setting;
        }
        ServerLookup servers = servers(chosen());
        if (setting.key().equals(Settings.DATA_DIR.key())) {
            return new Shown(setting.key(), servers.dataFolder().toString(), "default");
        }
        if (choosesOutbox() || !allSettings().outboxNames().isEmpty()) {
            return setting;
        }
        Optional<String> running = Optional.empty();
        if (setting.key().equals(Settings.DATABASE_URL.key())) {
            running = servers.running().map(Running::database);
        } else if (setting.key().equals(Settings.BROKER_URL.key())) {
            running = servers.running().map(Running::broker);
        }
        return running.map(url -> new Shown(setting.key(), Secrets.mask(url), "running waybill up"))
                .orElse(setting);
    }
}
