package io.waybill.server.http.overview;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.admin.OutboxPause;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxStatus.LaneStatus;
import io.waybill.admin.OutboxStatus.RelayStatus;
import io.waybill.inbox.InboxStatus;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.http.overview.Reason.Code;
import io.waybill.server.http.overview.Reason.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReasonsTest {
    private static final Instant NOW = Instant.parse("2027-01-01T00:00:00Z");
    private static final RelayStatus SERVING = relay(true, true);

    private static RelayStatus relay(boolean live, boolean serving) {
        return new RelayStatus("r1", "host", "1", NOW, Duration.ZERO, live, serving, 4, 100, 10);
    }

    private static OutboxStatus status(
            long pending,
            long retrying,
            long parked,
            long blocked,
            long dead,
            Duration oldest,
            List<RelayStatus> relays,
            List<LaneStatus> lanes,
            String... warnings) {
        return new OutboxStatus(
                NOW, pending, 0, retrying, parked, blocked, dead, oldest, 10, relays, lanes, List.of(warnings));
    }

    private static OutboxStatus idle(RelayStatus... relays) {
        return status(0, 0, 0, 0, 0, Duration.ZERO, List.of(relays), List.of());
    }

    private static Reason only(OutboxStatus status) {
        List<Reason> reasons = Reasons.of(status, List.of(), Optional.empty(), List.of());
        assertThat(reasons).hasSize(1);
        assertThat(reasons.get(0).remedy()).isNotBlank();
        return reasons.get(0);
    }

    @Test
    void whatFlowsHasNoReason() {
        assertThat(Reasons.of(idle(SERVING), List.of(), Optional.empty(), List.of()))
                .isEmpty();
        OutboxStatus busy = status(100, 0, 0, 0, 0, Duration.ofSeconds(2), List.of(SERVING), List.of());
        assertThat(Reasons.of(busy, List.of(), Optional.empty(), List.of())).isEmpty();
    }

    @Test
    void noRelayIsTheFirstReason() {
        Reason reason = only(status(1, 0, 0, 0, 0, Duration.ofHours(1), List.of(relay(false, true)), List.of()));
        assertThat(reason.code()).isEqualTo(Code.NO_RELAY);
        assertThat(reason.severity()).isEqualTo(Severity.ERROR);
        assertThat(reason.sentence()).contains("1 event waits");
    }

    @Test
    void relaysWithoutABrokerAreNamed() {
        assertThat(only(idle(relay(true, false))).severity()).isEqualTo(Severity.ERROR);
        Reason some = only(idle(SERVING, relay(true, false)));
        assertThat(some.code()).isEqualTo(Code.RELAYS_NOT_SERVING);
        assertThat(some.severity()).isEqualTo(Severity.WARNING);
        assertThat(some.sentence()).contains("r1");
    }

    @Test
    void aPauseSaysWhoAndWhy() {
        OutboxPause all =
                new OutboxPause(OutboxPause.Scope.RELAY, OutboxPause.EVERY_RELAY, "alice", "an upgrade", NOW, null);
        OutboxPause type = new OutboxPause(OutboxPause.Scope.TYPE, "order.paid", "bob", "a bug", NOW, NOW);
        List<Reason> reasons = Reasons.of(idle(SERVING), List.of(), Optional.empty(), List.of(type, all));
        assertThat(reasons).extracting(Reason::code).containsOnly(Code.PAUSED);
        assertThat(reasons.get(0).sentence()).contains("All relays are paused by alice", "an upgrade");
        assertThat(reasons.get(1).sentence()).contains("Type order.paid is paused by bob", "until");
    }

    @Test
    void aLaneWithoutARelayIsNamed() {
        LaneStatus lane = new LaneStatus(3, "", 1, Duration.ZERO, true, Duration.ofSeconds(3));
        assertThat(only(status(1, 0, 0, 0, 0, Duration.ofSeconds(3), List.of(SERVING), List.of(lane)))
                        .code())
                .isEqualTo(Code.LANES_WITHOUT_OWNER);
    }

    @Test
    void anOldBacklogIsExplained() {
        assertThat(only(status(5, 0, 0, 0, 0, Duration.ofMinutes(2), List.of(SERVING), List.of()))
                        .code())
                .isEqualTo(Code.BACKLOG);
    }

    @Test
    void failuresBlockedKeysAndDeadLettersAreCounted() {
        List<Reason> reasons = Reasons.of(
                status(9, 2, 7, 1, 3, Duration.ofMinutes(2), List.of(SERVING), List.of(), "A warning."),
                List.of(),
                Optional.empty(),
                List.of());
        assertThat(reasons)
                .extracting(Reason::code)
                .containsExactlyInAnyOrder(Code.RETRYING, Code.KEYS_BLOCKED, Code.DEAD_LETTERS, Code.WARNING);
        assertThat(reasons.toString())
                .contains("2 events failed", "1 key is blocked", "7 later events", "3 dead letters");
    }

    @Test
    void inboxesAndSagasAreIncluded() {
        InboxStatus paused = new InboxStatus("billing", 0, 0, 2, Duration.ZERO, null, 1, NOW, "database down");
        List<Reason> reasons = Reasons.of(
                idle(SERVING),
                List.of(paused),
                Optional.of(new SagaTotals(1, 0, 1, Duration.ZERO, Duration.ZERO)),
                List.of());
        assertThat(reasons)
                .extracting(Reason::code)
                .containsExactly(Code.INBOX_PAUSED, Code.INBOX_DEAD_LETTERS, Code.SAGAS_STUCK);
        assertThat(reasons.get(0).sentence()).contains("billing", "database down");
    }
}
