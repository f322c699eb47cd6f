package io.waybill.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.admin.OutboxPause;
import io.waybill.envelope.Envelope;
import io.waybill.retry.RetryPolicy;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.PublishOutcome;
import io.waybill.time.Ticker;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BatchTest {
    private final ScriptedTransport transport = new ScriptedTransport();
    private OnDeadLetter onDeadLetter = OnDeadLetter.CONTINUE;
    private boolean canSend = true;
    private Pauses pauses = Pauses.NONE;

    private static ClaimedEvent claimed(String name, int retries) {
        Event event = Event.builder("t", "A", name.substring(0, 1))
                .header("name", name)
                .build();
        return new ClaimedEvent(event, name.hashCode(), retries, false, Duration.ZERO);
    }

    private static List<ClaimedEvent> claims(String... names) {
        List<ClaimedEvent> claims = new ArrayList<>();
        for (String name : names) {
            claims.add(claimed(name, 0));
        }
        return claims;
    }

    private Map<String, String> publish(List<ClaimedEvent> claims) {
        return publish(claims, transport);
    }

    private Map<String, String> publish(List<ClaimedEvent> claims, Transport to) {
        RelaySettings settings = new RelaySettings(
                "r",
                Envelope.standard("test"),
                100,
                1,
                1_000_000,
                Duration.ofMillis(1),
                Duration.ofMillis(1),
                Duration.ofSeconds(10),
                new RetryPolicy(3, Duration.ofSeconds(1), Duration.ofMinutes(1)),
                onDeadLetter,
                Duration.ofDays(1),
                Duration.ofSeconds(1),
                RelayListener.NONE,
                Ticker.SYSTEM);
        CircuitBreaker breaker = new CircuitBreaker(to, RelayListener.NONE, Ticker.SYSTEM);
        Map<String, String> outcomes = new TreeMap<>();
        Batch batch = new Batch(to, settings, breaker, new Destinations(settings.retry(), Ticker.SYSTEM), pauses);
        List<PublishOutcome> all = batch.add(claims, () -> canSend);
        batch.publish();
        for (PublishOutcome outcome : all) {
            String name = outcome.claimed().event().headers().getOrDefault("name", "");
            String kind = outcome.getClass().getSimpleName();
            assertThat(outcomes.put(
                            name, outcome instanceof PublishOutcome.Retry r && !r.counted() ? "Uncounted" : kind))
                    .as("one outcome for each event")
                    .isNull();
        }
        return outcomes;
    }

    @Test
    void eventsArePublishedInOrderPerKey() {
        assertThat(publish(claims("a1", "b1", "a2", "b2", "a3")))
                .allSatisfy((name, kind) -> assertThat(kind).isEqualTo("Published"));
        assertThat(transport.sent).containsSubsequence("a1", "a2", "a3").containsSubsequence("b1", "b2");
    }

    /** The transport acknowledges late, so that its list shows which messages are in flight together. */
    @Test
    void keysAreSentInParallelAndEachEventWaitsForTheAcknowledgementBeforeIt() {
        List<String> held = new ArrayList<>();
        List<Delivery> deliveries = new ArrayList<>();
        Transport slow = new Transport() {
            @Override
            public void send(Message message, Delivery delivery) {
                held.add(message.headers().getOrDefault("name", ""));
                deliveries.add(delivery);
                if (held.size() == 2) {
                    assertThat(held).containsExactly("a1", "b1");
                    deliveries.forEach(Delivery::acknowledged);
                } else if (held.size() > 2) {
                    delivery.acknowledged();
                }
            }

            @Override
            public void probe() {}

            @Override
            public void close() {}
        };
        publish(claims("a1", "a2", "b1"), slow);
        assertThat(held).containsExactly("a1", "b1", "a2");
    }

    private static OutboxPause pause(OutboxPause.Scope scope, String value) {
        return new OutboxPause(scope, value, "ann", "maintenance", Instant.EPOCH, null);
    }

    @Test
    void aPausedKeyIsHeldWithoutAnAttemptAndOtherKeysContinue() {
        pauses = Pauses.of(List.of(pause(OutboxPause.Scope.KEY, "a")), "r-1");
        assertThat(publish(claims("a1", "b1", "a2")))
                .containsExactlyInAnyOrderEntriesOf(Map.of("a1", "Uncounted", "a2", "Parked", "b1", "Published"));
        assertThat(transport.sent).containsExactly("b1");
    }

    @Test
    void aPausedTopicHoldsTheLaterEventsOfItsKeysOnly() {
        pauses = Pauses.of(List.of(pause(OutboxPause.Scope.TOPIC, "slow")), "r-1");
        ClaimedEvent held = new ClaimedEvent(
                Event.builder("t", "A", "a").header("name", "a2").topic("slow").build(), 2, 0, false, Duration.ZERO);
        List<ClaimedEvent> claims = new ArrayList<>(claims("a1"));
        claims.add(held);
        claims.addAll(claims("a3", "b1"));
        assertThat(publish(claims))
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("a1", "Published", "a2", "Uncounted", "a3", "Parked", "b1", "Published"));
    }

    @Test
    void aPauseConcernsTheNamedRelayOrAll() {
        assertThat(Pauses.of(List.of(pause(OutboxPause.Scope.RELAY, "r")), "r-1")
                        .stopsRelay())
                .isTrue();
        assertThat(Pauses.of(List.of(pause(OutboxPause.Scope.RELAY, "r-1")), "r-1")
                        .stopsRelay())
                .isTrue();
        assertThat(Pauses.of(List.of(pause(OutboxPause.Scope.RELAY, "r-2")), "r-1")
                        .stopsRelay())
                .isFalse();
        assertThat(Pauses.of(List.of(pause(OutboxPause.Scope.RELAY, "*")), "r-1")
                        .stopsRelay())
                .isTrue();
        assertThat(Pauses.UNKNOWN.stopsRelay()).isTrue();
    }

    /** An operator must fix a missing topic or a missing permission. Until then no attempt is counted, however many keys wait. */
    @Test
    void anUnavailableDestinationCountsNoAttempts() {
        transport.failures.put("a1", Failure.destination("no such topic"));
        List<ClaimedEvent> claims = new ArrayList<>(claims("a1", "a2", "b1"));
        claims.add(claimed("c1", 2));
        transport.failures.put("c1", Failure.destination("no such topic"));

        assertThat(publish(claims))
                .containsEntry("a1", "Uncounted")
                .containsEntry("a2", "Parked")
                .containsEntry("b1", "Published")
                .containsEntry("c1", "Uncounted");
    }

    @Test
    void anEventMayHaveALimitOfItsOwn() {
        transport.failures.put("a1", Failure.transientFailure("no"));
        transport.failures.put("b1", Failure.transientFailure("no"));
        List<ClaimedEvent> claims = List.of(limited("a1", 1, 0), limited("b1", 7, 5));

        assertThat(publish(claims)).containsEntry("a1", "Dead").containsEntry("b1", "Retry");
    }

    private static ClaimedEvent limited(String name, int attempts, int retries) {
        Event event = Event.builder("t", "A", name)
                .header("name", name)
                .maxAttempts(attempts)
                .build();
        return new ClaimedEvent(event, 0, retries, false, Duration.ZERO);
    }

    @Test
    void aFailureParksOnlyLaterEventsOfItsKey() {
        transport.failures.put("a1", Failure.transientFailure("no"));

        assertThat(publish(claims("a1", "a2", "b1", "a3", "b2")))
                .containsEntry("a1", "Retry")
                .containsEntry("a2", "Parked")
                .containsEntry("a3", "Parked")
                .containsEntry("b1", "Published")
                .containsEntry("b2", "Published");
        assertThat(transport.sent).doesNotContain("a2", "a3");
    }

    @Test
    void theLastAttemptMakesADeadLetterAndReleasesLaterEventsOfItsKey() {
        transport.failures.put("a1", Failure.transientFailure("no"));

        assertThat(publish(List.of(claimed("a1", 2), claimed("a2", 0), claimed("b1", 0))))
                .containsEntry("a1", "Dead")
                .containsEntry("a2", "Released")
                .containsEntry("b1", "Published");
        assertThat(transport.sent).doesNotContain("a2");
    }

    @Test
    void aBlockingDeadLetterParksLaterEventsOfItsKey() {
        onDeadLetter = OnDeadLetter.BLOCK;
        transport.failures.put("a1", Failure.permanent("too large"));

        assertThat(publish(claims("a1", "a2"))).containsEntry("a1", "Dead").containsEntry("a2", "Parked");
        assertThat(transport.sent).containsExactly("a1");
    }

    @Test
    void anEventThatKeepsCrashingRelaysIsNotSentAgain() {
        assertThat(publish(List.of(claimed("a1", 5), claimed("b1", 4))))
                .containsEntry("a1", "Dead")
                .containsEntry("b1", "Published");
        assertThat(transport.sent).containsExactly("b1");
    }

    @Test
    void anOutageReleasesAllUnacknowledgedEvents() {
        transport.down = true;
        transport.failures.put("b1", Failure.outage("gone"));

        assertThat(publish(claims("a1", "b1", "b2", "c1")))
                .containsEntry("a1", "Published")
                .containsEntry("b1", "Released")
                .containsEntry("b2", "Released");
    }

    @Test
    void anOutageOfOnePartitionCountsNoAttempt() {
        transport.failures.put("b1", Failure.outage("partition without a leader"));

        assertThat(publish(claims("a1", "b1", "b2")))
                .containsEntry("a1", "Published")
                .containsEntry("b1", "Uncounted")
                .containsEntry("b2", "Parked");
    }

    @Test
    void aShutdownReleasesUnsentEvents() {
        transport.beforeAnswer = message -> canSend = false;

        assertThat(publish(claims("a1", "a2", "b1")))
                .containsEntry("a1", "Published")
                .containsEntry("a2", "Released")
                .containsEntry("b1", "Released");
    }

    @Test
    void anOrderedTransportReceivesTheEventsOfAKeyTogether() {
        LineTransport line = new LineTransport(2);

        assertThat(publish(claims("a1", "b1", "a2", "a3"), line))
                .allSatisfy((name, kind) -> assertThat(kind).isEqualTo("Published"));
        assertThat(line.handed).containsExactly("a1 a2", "b1", "a3");
    }

    @Test
    void anEventThatHasFailedBeforeIsSentAlone() {
        LineTransport line = new LineTransport(9);

        publish(List.of(claimed("a1", 1), claimed("a2", 0), claimed("a3", 0), claimed("a4", 1)), line);
        assertThat(line.handed).containsExactly("a1", "a2 a3", "a4");
    }

    @Test
    void abandonedEventsAreSentAgainOneByOneUntilTheFailingOneIsFound() {
        LineTransport line = new LineTransport(9);
        line.abandonFrom = "a2";
        line.failures.put("a3", Failure.transientFailure("no"));

        assertThat(publish(claims("a1", "a2", "a3", "a4"), line))
                .containsEntry("a1", "Published")
                .containsEntry("a2", "Published")
                .containsEntry("a3", "Retry")
                .containsEntry("a4", "Parked");
        assertThat(line.handed).containsExactly("a1 a2 a3 a4", "a2", "a3");
    }

    @Test
    void aFailureWithinAGroupParksTheEventsBehindIt() {
        LineTransport line = new LineTransport(9);
        line.failures.put("a2", Failure.transientFailure("no"));

        assertThat(publish(claims("a1", "a2", "a3"), line))
                .containsEntry("a1", "Published")
                .containsEntry("a2", "Retry")
                .containsEntry("a3", "Parked");
    }

    @Test
    void anOutageWithinAGroupReleasesTheEventsBehindIt() {
        LineTransport line = new LineTransport(9);
        line.down = true;
        line.failures.put("a2", Failure.outage("gone"));

        assertThat(publish(claims("a1", "a2", "a3"), line))
                .containsEntry("a1", "Published")
                .containsEntry("a2", "Released")
                .containsEntry("a3", "Released");
    }

    /** Happens if a client is closed during a send: the result of the last message arrives before that of the first. */
    @Test
    void abandonedEventsAreSentAgainInTheirOriginalOrder() {
        LineTransport line = new LineTransport(9);
        line.backwards = true;
        line.abandonFrom = "a1";

        assertThat(publish(claims("a1", "a2", "a3"), line))
                .allSatisfy((name, kind) -> assertThat(kind).isEqualTo("Published"));
        assertThat(line.handed).containsExactly("a1 a2 a3", "a1", "a2", "a3");
    }

    /** Otherwise the first event, which was abandoned, would be parked behind the retry of the second and published after it. */
    @Test
    void aFailureCountsOnlyAfterAllEarlierEventsWereAcknowledged() {
        LineTransport line = new LineTransport(9);
        line.backwards = true;
        line.abandonFrom = "a1";
        line.failWithTheRest = Failure.outage("no answer in time");

        assertThat(publish(claims("a1", "a2"), line))
                .containsEntry("a1", "Published")
                .containsEntry("a2", "Published");
        assertThat(line.handed).containsExactly("a1 a2", "a1", "a2");
    }

    /** A broker keeps the order within a partition only. */
    @Test
    void messagesOfDifferentPartitionsAreNotSentTogether() {
        LineTransport line = new LineTransport(9);
        List<ClaimedEvent> claims =
                List.of(partitioned("a1", "p"), partitioned("a2", "p"), partitioned("a3", "q"), partitioned("a4", "q"));

        publish(claims, line);
        assertThat(line.handed).containsExactly("a1 a2", "a3 a4");
    }

    private static ClaimedEvent partitioned(String name, String partitionKey) {
        Event event = Event.builder("t", "A", "a")
                .header("name", name)
                .partitionKey(partitionKey)
                .build();
        return new ClaimedEvent(event, name.hashCode(), 0, false, Duration.ZERO);
    }

    /** Accepts several messages of a key at once; a failure abandons those behind it. */
    private static final class LineTransport extends ScriptedTransport {
        private final List<String> handed = new ArrayList<>();
        private final int longest;
        private String abandonFrom = "";
        private boolean backwards;
        private @Nullable Failure failWithTheRest;

        LineTransport(int longest) {
            this.longest = longest;
        }

        @Override
        public void send(Message message, Delivery delivery) {
            sendInOrder(List.of(message), List.of(delivery));
        }

        @Override
        public int sendInOrder(List<Message> messages, List<Delivery> deliveries) {
            int taken = Math.min(longest, messages.size());
            handed.add(messages.stream()
                    .limit(taken)
                    .map(message -> message.headers().getOrDefault("name", ""))
                    .collect(Collectors.joining(" ")));
            boolean broken = false;
            List<Runnable> answers = new ArrayList<>();
            for (int i = 0; i < taken; i++) {
                Delivery delivery = deliveries.get(i);
                String name = messages.get(i).headers().getOrDefault("name", "");
                Failure failure = failures.get(name);
                boolean first = taken > 1 && name.equals(abandonFrom);
                if (broken || first) {
                    Failure rest = first || failWithTheRest == null ? Failure.abandoned("another") : failWithTheRest;
                    answers.add(() -> delivery.failed(rest));
                } else if (failure != null) {
                    answers.add(() -> delivery.failed(failure));
                } else {
                    answers.add(delivery::acknowledged);
                }
                broken |= first || failure != null;
            }
            if (backwards) {
                Collections.reverse(answers);
            }
            answers.forEach(Runnable::run);
            return taken;
        }
    }
}
