package io.waybill.server.cli;

import io.waybill.jdbc.OutboxSchema;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.problem.Exit;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;

@CommandLine.Command(name = "version", description = "Print the versions of Waybill, its schema and Java.")
final class VersionCommand extends Command implements IVersionProvider {
    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    protected Set<String> settings() {
        return Set.of();
    }

    @Override
    protected Exit run() {
        if (json.wanted()) {
            output().json(Json.object()
                    .put("version", Version.text())
                    .put("schemaVersion", OutboxSchema.VERSION)
                    .put("java", System.getProperty("java.version")));
        } else {
            output().line(getVersion()[0]);
        }
        return Exit.OK;
    }

    @Override
    public String[] getVersion() {
        return new String[] {
            "waybill " + Version.text() + " (schema " + OutboxSchema.VERSION + ", Java "
                    + System.getProperty("java.version") + ")"
        };
    }
}
