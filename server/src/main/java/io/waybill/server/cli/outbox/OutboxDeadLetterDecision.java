package io.waybill.server.cli.outbox;

import io.waybill.admin.DeadLetters;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import io.waybill.server.cli.command.DeadLetterDecision;
import io.waybill.server.cli.command.ServerLookup;
import io.waybill.server.cli.command.TopicRule;
import io.waybill.server.database.OutboxConnection;
import io.waybill.time.Ticker;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** A decision about dead letters of the outbox. */
abstract class OutboxDeadLetterDecision extends DeadLetterDecision {
    private @Nullable OutboxConnection outbox;

    abstract List<UUID> decide(DeadLetters deadLetters, List<UUID> ids, Decision decision);

    @Override
    protected Set<String> settings() {
        return OUTBOX_SETTINGS;
    }

    final OutboxConnection outbox() {
        if (outbox == null) {
            outbox = tables().requireValid().outbox();
        }
        return outbox;
    }

    @Override
    protected Source open() {
        OutboxConnection opened = outbox();
        return new Source() {
            @Override
            public List<UUID> matching(EventFilter filter, int limit) {
                return opened.deadLetters().matching(filter, limit);
            }

            @Override
            public boolean isDeadLetter(UUID id) {
                return opened.view()
                        .event(id)
                        .filter(event -> event.state() == EventState.DEAD_LETTER)
                        .isPresent();
            }

            @Override
            public List<UUID> decide(List<UUID> ids, Decision decision) {
                return OutboxDeadLetterDecision.this.decide(opened.deadLetters(), ids, decision);
            }
        };
    }

    /** Scripts find the field {@code outcomes} in the output of both decisions. */
    @Override
    protected Outcomes await(List<UUID> changed) {
        return new ReplayOutcomes(List.of());
    }

    @CommandLine.Command(
            name = "replay",
            description = {
                "Make dead letters pending again with a new count of attempts, and report their delivery.",
                "Later events of the same keys may have been published already. Exits with 1 when an event fails again."
            },
            footerHeading = "%nExamples:%n",
            footer = {
                "  ./waybill dead-letters replay 0190a3c2-7b1e-7cc0-8000-5f0f5a3c9d11 --reason 'topic exists now'",
                "  ./waybill dead-letters replay --all --type order.placed --dry-run",
                "  ./waybill dead-letters replay --all --topic order.placed --reason 'topic was misspelled'"
            })
    static final class Replay extends OutboxDeadLetterDecision {
        @Option(
                names = "--topic",
                paramLabel = "TOPIC",
                description = "Publish the events to this topic instead of their own.")
        private @Nullable String topic;

        @Option(names = "--no-wait", description = "Return at once, without waiting up to 10 seconds for delivery.")
        private boolean noWait;

        @Override
        protected Set<String> settings() {
            return Set.of("database", "engine", "layout", "broker", "data-dir");
        }

        @Override
        protected Source open() {
            Source letters = super.open();
            if (topic != null) {
                TopicRule.of(new ServerLookup(configuration(), context())).check(topic);
            }
            return letters;
        }

        @Override
        List<UUID> decide(DeadLetters deadLetters, List<UUID> ids, Decision decision) {
            return topic == null ? deadLetters.replay(ids, decision) : deadLetters.replayTo(topic, ids, decision);
        }

        @Override
        protected Outcomes await(List<UUID> changed) {
            return noWait || changed.isEmpty()
                    ? new ReplayOutcomes(List.of())
                    : new ReplayOutcomes(ReplayOutcome.await(outbox().view(), changed, Ticker.SYSTEM));
        }

        @Override
        protected String done() {
            return "replayed";
        }
    }

    @CommandLine.Command(
            name = "discard",
            description = "Discard dead letters for good. Later events of keys that they blocked are published.",
            footerHeading = "%nExample:%n",
            footer = {"  ./waybill dead-letters discard --all --older-than 30d --reason 'agreed in review'"})
    static final class Discard extends OutboxDeadLetterDecision {
        @Override
        List<UUID> decide(DeadLetters deadLetters, List<UUID> ids, Decision decision) {
            return deadLetters.discard(ids, decision);
        }

        @Override
        protected String done() {
            return "discarded";
        }
    }
}
