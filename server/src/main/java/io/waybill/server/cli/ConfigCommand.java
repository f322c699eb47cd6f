package io.waybill.server.cli;

import io.waybill.server.Exit;
import io.waybill.server.config.Configuration.Shown;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

@CommandLine.Command(
        name = "config",
        description = "Print the effective settings and where each comes from; secrets are masked.",
        footerHeading = "%nExample:%n",
        footer = {"  WAYBILL_RELAY_LEASE=30s ./waybill config --json"})
final class ConfigCommand extends Command {
    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    Set<String> settings() {
        return Set.of("database", "broker", "relay", "outbox", "http", "data-dir");
    }

    @Override
    Exit run() {
        if (json.wanted()) {
            var settings = Json.object();
            for (Shown setting : configuration().shown()) {
                settings.putObject(setting.key()).put("value", setting.value()).put("origin", setting.origin());
            }
            output().json(settings);
            return Exit.OK;
        }
        Table table = new Table("SETTING", "VALUE", "FROM");
        for (Shown setting : configuration().shown()) {
            table.row(setting.key(), setting.value() == null ? "-" : setting.value(), setting.origin());
        }
        output().table(table);
        return Exit.OK;
    }
}
