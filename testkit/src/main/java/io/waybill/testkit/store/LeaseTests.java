package io.waybill.testkit.store;

import static io.waybill.testkit.store.StoreDriver.LEASE;
import static io.waybill.testkit.store.StoreDriver.event;
import static io.waybill.testkit.store.StoreDriver.names;
import static io.waybill.testkit.store.StoreDriver.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.admin.EventState;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.FencedException;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Leases of lanes, their fences, and the roster of relays. */
interface LeaseTests extends StoreTests {
    @Test
    default void aLaneHasOneOwnerUntilItsLeaseExpires() {
        Map<Integer, Lease> first = driver().takeLanes("r1");
        assertThat(driver().takeLanes("r2")).isEmpty();

        backend().age(LEASE.plusSeconds(1));
        Map<Integer, Lease> second = driver().takeLanes("r2");

        assertThat(second.keySet()).isEqualTo(first.keySet());
        first.values()
                .forEach(old -> assertThat(second.values()).anySatisfy(lease -> {
                    assertThat(lease.lane()).isEqualTo(old.lane());
                    assertThat(lease.fence()).isGreaterThan(old.fence());
                }));
    }

    @Test
    default void aHeartbeatKeepsTheLease() {
        driver().takeLanes("r1");
        for (int i = 0; i < 3; i++) {
            backend().age(LEASE.multipliedBy(2).dividedBy(3));
            driver().beat("r1");
        }
        assertThat(driver().takeLanes("r2")).isEmpty();
    }

    @Test
    default void theRosterListsLiveRelaysOnly() {
        driver().beat("r2");
        backend().age(LEASE.plusSeconds(1));
        driver().beat("r3");
        RelayRoster roster = driver().beat("r1");

        assertThat(roster.relays()).containsExactly("r1", "r3");
    }

    @Test
    default void theRosterNamesTheServingRelays() {
        driver().beat("serves");
        store().heartbeat(new RelayReport("cut-off", "here:1", "test", 0, 0, false), LEASE);

        RelayRoster roster = driver().beat("serves");
        assertThat(roster.relays()).containsExactly("cut-off", "serves");
        assertThat(roster.serving()).containsExactly("serves");

        driver().beat("cut-off");
        assertThat(driver().beat("serves").serving()).containsExactly("cut-off", "serves");
    }

    @Test
    default void aReleasedLaneIsFreeAtOnce() {
        Lease lease = driver().takeLanes("r1").values().iterator().next();
        store().release(lease);
        assertThat(driver().takeLanes("r2").keySet()).containsExactly(lease.lane());
    }

    @Test
    default void aLeavingRelayReleasesItsLanes() {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        store().leave("r1");

        assertThat(driver().beat("r2").relays()).containsExactly("r2");
        assertThat(driver().takeLanes("r2").keySet()).isEqualTo(lanes.keySet());
    }

    @Test
    default void writesOfAFormerOwnerAreRejected() {
        Event event = event("a", 1);
        driver().append(event, event("a", 2));
        Map<Integer, Lease> old = driver().takeLanes("r1");
        ClaimedEvent claimed = driver().claim(old).get(0);
        backend().age(LEASE.plusSeconds(1));
        Map<Integer, Lease> current = driver().takeLanes("r2");
        Lease late = driver().leaseOf(old, claimed);

        List<PublishOutcome> outcomes = List.of(new PublishOutcome.Published(claimed));
        assertThatThrownBy(() -> store().advance(late, outcomes, 0)).isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().advance(late, List.of(), 10)).isInstanceOf(FencedException.class);
        assertThatThrownBy(() -> store().reconcile(late, outcomes)).isInstanceOf(FencedException.class);
        store().release(late);

        assertThat(driver().takeLanes("r3"))
                .as("lanes freed by the late release")
                .isEmpty();
        assertThat(driver().state(event)).isNotEqualTo(EventState.PUBLISHED);
        assertThat(names(driver().drain(current))).containsExactly("a1", "a2");
    }

    @Test
    default void claimsOfADeadOwnerAreTakenOverAndCounted() {
        driver().append(event("a", 1), event("b", 1));
        driver().claim(driver().takeLanes("r1"));
        backend().age(LEASE.plusSeconds(1));

        List<ClaimedEvent> again = driver().claim(driver().takeLanes("r2"));

        assertThat(names(again)).containsExactlyInAnyOrder("a1", "b1");
        assertThat(again).allSatisfy(c -> assertThat(c.retryCount()).isEqualTo(1));
    }

    @Test
    default void anEventThatCrashesItsRelaysIsSoonClaimedAlone() {
        driver().append(IntStream.rangeClosed(1, 200)
                .mapToObj(n -> event("k", n))
                .toArray(Event[]::new));
        List<Integer> published = new ArrayList<>();
        int killer = 77;
        int deaths = 0;
        int mostInnocentDeaths = 0;
        for (int life = 0; life < 60 && published.size() < 199; life++) {
            Map<Integer, Lease> lanes = driver().takeLanes("relay-" + life);
            boolean alive = true;
            while (alive) {
                List<ClaimedEvent> batch = driver().claim(lanes);
                if (batch.isEmpty()) {
                    break;
                }
                for (ClaimedEvent c : batch) {
                    if (StoreDriver.number(c) != killer) {
                        mostInnocentDeaths = Math.max(mostInnocentDeaths, c.retryCount());
                    }
                }
                boolean deadly = numbers(batch).contains(killer);
                if (deadly && batch.get(0).retryCount() >= 5 && batch.size() == 1) {
                    driver().settle(lanes, batch, c -> new PublishOutcome.Dead(c, "kills its relay", false));
                    deaths = batch.get(0).retryCount();
                } else if (deadly) {
                    alive = false;
                    backend().age(LEASE.plusSeconds(1));
                } else {
                    driver().settle(lanes, batch, PublishOutcome.Published::new);
                    published.addAll(numbers(batch));
                }
            }
        }
        assertThat(deaths).isEqualTo(5);
        assertThat(mostInnocentDeaths).isLessThan(5);
        assertThat(published).hasSize(199).isSorted();
    }
}
