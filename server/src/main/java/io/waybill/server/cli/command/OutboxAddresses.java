package io.waybill.server.cli.command;

import io.waybill.server.config.Configuration;
import io.waybill.server.config.Setting;
import io.waybill.server.config.Settings;
import io.waybill.server.problem.Problem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks that no two outboxes are the same tables, which is a mistake of copying: the second relay would count everything twice. */
final class OutboxAddresses {
    private OutboxAddresses() {}

    static void requireDistinct(List<Configuration> outboxes) {
        Map<List<String>, String> seen = new HashMap<>();
        for (Configuration outbox : outboxes) {
            String name = outbox.outbox().orElse("");
            if (outbox.find(Settings.DATABASE_URL).isEmpty()) {
                continue; // reported when the database is needed
            }
            String other = seen.putIfAbsent(
                    List.of(
                            text(outbox, Settings.DATABASE_URL),
                            text(outbox, Settings.DATABASE_USER), // a user may have a schema of its own
                            text(outbox, Settings.LAYOUT)),
                    name);
            if (other != null) {
                throw Problem.usage("Outboxes " + other + " and " + name + " have the same database.url and layout, so"
                        + " they are the same tables. Remove one of them, or correct its database.url. For another"
                        + " schema of a PostgreSQL database, append ?currentSchema=NAME.");
            }
        }
    }

    private static String text(Configuration outbox, Setting<String> setting) {
        return outbox.find(setting).orElse("");
    }
}
