package io.waybill.server.cli.inbox;

import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import io.waybill.inbox.DeadLetter;
import io.waybill.inbox.InboxDeadLetters;
import io.waybill.server.cli.command.DeadLetterDecision;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/** A decision about dead letters of one consumer group. */
abstract class InboxDeadLetterDecision extends DeadLetterDecision {
    @Mixin
    private GroupOption group = new GroupOption();

    abstract List<UUID> decide(InboxDeadLetters letters, String group, List<UUID> ids, Decision decision);

    @Override
    protected Set<String> settings() {
        return Set.of("database", "data-dir");
    }

    @Override
    protected String consumerGroup() {
        return group.name();
    }

    @Override
    protected Source open() {
        InboxDeadLetters letters = InboxAccess.open(database()).deadLetters();
        return new Source() {
            @Override
            public List<UUID> matching(EventFilter filter, int limit) {
                return letters.list(group.name(), filter, limit).stream()
                        .map(DeadLetter::eventId)
                        .toList();
            }

            @Override
            public boolean isDeadLetter(UUID id) {
                return letters.find(group.name(), id).isPresent();
            }

            @Override
            public List<UUID> decide(List<UUID> ids, Decision decision) {
                return InboxDeadLetterDecision.this.decide(letters, group.name(), ids, decision);
            }
        };
    }

    @CommandLine.Command(
            name = "replay",
            description = {
                "Return dead letters to their consumer group, with the same event ids and a new count of attempts.",
                "The consumers of the group process them without the broker. Other groups are not affected."
            },
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill inbox dead-letters replay --group stock --all --type order.placed --dry-run"})
    static final class Replay extends InboxDeadLetterDecision {
        @Override
        List<UUID> decide(InboxDeadLetters letters, String group, List<UUID> ids, Decision decision) {
            return letters.replay(group, ids, decision);
        }

        @Override
        protected String done() {
            return "replayed";
        }
    }

    @CommandLine.Command(name = "discard", description = "Discard dead letters of a consumer group for good.")
    static final class Discard extends InboxDeadLetterDecision {
        @Override
        List<UUID> decide(InboxDeadLetters letters, String group, List<UUID> ids, Decision decision) {
            return letters.discard(group, ids, decision);
        }

        @Override
        protected String done() {
            return "discarded";
        }
    }
}
