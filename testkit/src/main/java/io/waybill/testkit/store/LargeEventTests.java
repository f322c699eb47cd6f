package io.waybill.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Event;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.LaneRequest;
import io.waybill.store.Lease;
import io.waybill.store.PublishOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The byte limit of a claim, which keeps large events from filling the memory of a relay. */
interface LargeEventTests extends StoreTests {
    /** Small, large and compressible payloads. A store may leave large payloads in the database until they fit into the claim. */
    @Test
    default void aClaimStopsAtItsByteLimitAndTheNextContinues() {
        List<Event> written = new ArrayList<>();
        for (int n = 0; n < 40; n++) {
            int length = n % 4 == 0 ? 60_000 : n % 4 == 1 ? 5_000 : 100;
            written.add(sized("a", n, length, n % 8 == 0));
        }
        driver().appendTogether(written.toArray(Event[]::new));
        Lease lease = onlyLane("a");
        List<Event> read = new ArrayList<>();
        List<PublishOutcome> sent = List.of();
        int claims = 0;
        while (true) {
            List<ClaimedEvent> batch = store().advance(List.of(new LaneRequest(lease, sent, 100, 100_000)))
                    .get(0);
            if (batch.isEmpty()) {
                break;
            }
            claims++;
            assertThat(bytes(batch.subList(0, batch.size() - 1))).isLessThan(100_000);
            batch.forEach(claimed -> read.add(claimed.event()));
            sent = batch.stream()
                    .<PublishOutcome>map(PublishOutcome.Published::new)
                    .toList();
        }

        assertThat(read).usingRecursiveFieldByFieldElementComparator().containsExactlyElementsOf(written);
        assertThat(claims).isBetween(5, 12);
        assertThat(driver().drain(driver().takeLanes("r2"))).isEmpty();
    }

    @Test
    default void anEventAboveTheByteLimitIsClaimedAlone() {
        driver().append(sized("a", 1, 50_000, false), sized("a", 2, 50_000, false));
        Lease lease = onlyLane("a");

        List<ClaimedEvent> first = store().advance(List.of(new LaneRequest(lease, List.of(), 100, 10)))
                .get(0);
        List<PublishOutcome> sent = first.stream()
                .<PublishOutcome>map(PublishOutcome.Published::new)
                .toList();
        List<ClaimedEvent> second =
                store().advance(List.of(new LaneRequest(lease, sent, 100, 10))).get(0);

        assertThat(first).hasSize(1);
        assertThat(second).hasSize(1);
        assertThat(second.get(0).position()).isGreaterThan(first.get(0).position());
    }

    /** After an outage of a topic, hundreds of large events of a key may be due at once. */
    @Test
    default void theByteLimitAppliesToRetries() {
        for (int n = 0; n < 12; n++) {
            driver().append(sized("a", n, 30_000, false));
        }
        Lease lease = onlyLane("a");
        List<ClaimedEvent> all = store().advance(lease, List.of(), 100);
        List<PublishOutcome> later = new ArrayList<>();
        later.add(new PublishOutcome.Retry(all.get(0), Duration.ofMillis(1), "down", true));
        all.subList(1, all.size()).forEach(claimed -> later.add(new PublishOutcome.Parked(claimed)));
        store().advance(lease, later, 0);
        backend().age(DELAY);

        List<Integer> order = new ArrayList<>();
        List<PublishOutcome> sent = List.of();
        for (int i = 0; i < 40 && order.size() < 12; i++) {
            List<ClaimedEvent> batch = store().advance(List.of(new LaneRequest(lease, sent, 100, 100_000)))
                    .get(0);
            assertThat(batch.size()).isLessThanOrEqualTo(4);
            batch.forEach(claimed -> order.add(StoreDriver.number(claimed)));
            sent = batch.stream()
                    .<PublishOutcome>map(PublishOutcome.Published::new)
                    .toList();
        }

        assertThat(order)
                .containsExactlyElementsOf(IntStream.range(0, 12).boxed().toList());
    }

    private static long bytes(List<ClaimedEvent> claims) {
        return claims.stream()
                .mapToLong(claimed -> claimed.event().payload().length())
                .sum();
    }

    /** @param compressible whether the database can compress the payload well */
    private static Event sized(String key, int number, int length, boolean compressible) {
        Random random = new Random(number);
        String text = random.ints(length, 'a', compressible ? 'b' : 'z')
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
        return Event.builder("order.placed", "Order", key)
                .payload("{\"n\": " + number + ", \"text\": \"" + text + "\"}")
                .header("trace", "t" + number)
                .build();
    }

    private Lease onlyLane(String key) {
        Map<Integer, Lease> lanes = driver().takeLanes("r1");
        Set<Integer> ready = store().ready(lanes.keySet());
        assertThat(ready).as("lanes of key " + key).hasSize(1);
        return Objects.requireNonNull(lanes.get(ready.iterator().next()));
    }
}
