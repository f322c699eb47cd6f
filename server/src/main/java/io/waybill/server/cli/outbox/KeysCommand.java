package io.waybill.server.cli.outbox;

import io.waybill.admin.ActionResult;
import io.waybill.admin.BlockedKey;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.Page;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.command.DecisionOptions;
import io.waybill.server.cli.command.Format;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.LimitOption;
import io.waybill.server.cli.command.Table;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.problem.Exit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@CommandLine.Command(
        name = "keys",
        description = "List the keys whose events wait behind a failed one, and release them.",
        synopsisSubcommandLabel = "list|release",
        subcommands = {KeysCommand.Listing.class, KeysCommand.Release.class})
public final class KeysCommand extends CommandGroup {
    @CommandLine.Command(name = "list", description = "List blocked keys with their first event, sorted by key.")
    static final class Listing extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Mixin
        private LimitOption limit = new LimitOption();

        @Override
        protected Set<String> settings() {
            return OUTBOX_SETTINGS;
        }

        @Override
        protected Exit run() {
            OutboxSearch search = tables().requireValid().outbox().search();
            List<BlockedKey> keys = new ArrayList<>();
            @Nullable String cursor = null;
            do {
                Page<BlockedKey> page = search.blockedKeys(cursor, limit.limit() - keys.size());
                keys.addAll(page.items());
                cursor = page.next();
            } while (cursor != null && keys.size() < limit.limit());
            if (json.wanted()) {
                keys.forEach(this::printJson);
                return Exit.OK;
            }
            if (keys.isEmpty()) {
                output().note("No key is blocked.");
                return Exit.OK;
            }
            Table table = new Table("KEY", "CAUSE", "EVENT", "TYPE", "AGE", "PARKED", "ERROR");
            for (BlockedKey key : keys) {
                table.row(
                        TerminalText.cut(key.key(), 40),
                        key.cause().name(),
                        key.id().toString(),
                        TerminalText.cut(key.type(), 40),
                        Format.ageSince(key.createdAt()),
                        (key.parked() == BlockedKey.MOST_COUNTED ? "≥ " : "") + key.parked(),
                        String.valueOf(key.error()));
            }
            output().table(table.cutTo(width()));
            return Exit.OK;
        }

        private void printJson(BlockedKey key) {
            output().json(Json.object()
                    .put("key", key.key())
                    .put("aggregateType", key.aggregateType())
                    .put("cause", key.cause().name())
                    .put("id", key.id().toString())
                    .put("type", key.type())
                    .put("topic", key.topic())
                    .put("error", key.error())
                    .put("attempts", key.attempts())
                    .put(
                            "nextAttemptAt",
                            key.nextAttemptAt() == null
                                    ? null
                                    : key.nextAttemptAt().toString())
                    .put("createdAt", key.createdAt().toString())
                    .put("parked", key.parked())
                    .put("parkedIsExact", key.parked() < BlockedKey.MOST_COUNTED));
        }
    }

    @CommandLine.Command(
            name = "release",
            description = "Let a key continue although a dead letter blocks it. The dead letter stays.",
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill keys release 4711 --reason 'the later events do not depend on it'"})
    static final class Release extends Command {
        @Mixin
        private JsonOption json = new JsonOption();

        @Mixin
        private DecisionOptions decision = new DecisionOptions();

        @Parameters(paramLabel = "KEY", description = "The key (aggregate id).")
        private String key = "";

        @Override
        protected Set<String> settings() {
            return OUTBOX_SETTINGS;
        }

        @Override
        protected Exit run() {
            ActionResult result = tables().requireValid()
                    .outbox()
                    .actions()
                    .releaseKey(key, ActionOutput.action(decision.decision()));
            ActionOutput.print(
                    "release", result, "Released key " + TerminalText.escape(key) + ".", json.wanted(), output());
            return Exit.OK;
        }
    }
}
