package io.waybill.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.store.FencedException;
import io.waybill.store.PublishOutcome;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LaneCountTest {

    @ParameterizedTest
    @CsvSource({"JOURNAL, 16", "JOURNAL, 3", "QUEUE, 16", "QUEUE, 3"})
    void everyStateIsKeptAndDeliveredInItsNewLane(Engine engine, int lanes) {
        try (PostgresBackend backend = PostgresBackend.of(engine)) {
            EveryState outbox = new EveryState(backend);
            ManualRelay old = outbox.fill();
            Map<String, String> before = EveryState.seen(backend.view());
            assertThatThrownBy(() -> OutboxSchema.changeLanes(backend.dataSource(), lanes, false))
                    .hasMessageContainingAll("old", "--fence-relays");

            OutboxSchema.changeLanes(backend.dataSource(), lanes, true);
            assertThat(OutboxSchema.lanes(backend.dataSource())).isEqualTo(lanes);
            assertThat(EveryState.seen(backend.view())).isEqualTo(expected(engine, before));
            assertThatThrownBy(() -> old.settle(PublishOutcome.Published::new)).isInstanceOf(FencedException.class);

            outbox.makeRetryDue(engine);
            ManualRelay relay = new ManualRelay(backend.store(), "new");
            assertThat(relay.lanes()).isEqualTo(lanes);
            assertThat(relay.drain()).isEqualTo(EveryState.TO_COME);
            backend.store().leave("new");

            OutboxSchema.changeLanes(backend.dataSource(), 8, true);
            outbox.append("done", 3);
            outbox.discard(backend.deadLetters(), "block");
            assertThat(new ManualRelay(backend.store(), "last").drain())
                    .isEqualTo(Map.of("block", List.of("2"), "done", List.of("3")));
        }
    }

    /** The journal records with the lane, and not with the event, that an event may have crashed its relay. */
    private static Map<String, String> expected(Engine engine, Map<String, String> before) {
        Map<String, String> expected = new TreeMap<>(before);
        expected.replaceAll((event, state) -> state.replace("CLAIMED", "PENDING"));
        if (engine == Engine.JOURNAL) {
            expected.put("crashed1", "PENDING 0 null");
            expected.put("crashed2", "PENDING 0 null");
        }
        return expected;
    }

    /** A session caches the function body with each index that it has opened. */
    @ParameterizedTest
    @EnumSource
    void sessionsThatWroteBeforeWriteIntoTheNewLanes(Engine engine) {
        try (PostgresBackend backend = PostgresBackend.of(engine)) {
            EveryState outbox = new EveryState(backend);
            backend.dataSource().setMaximumPoolSize(1);
            List<String> keys = IntStream.range(0, 40).mapToObj(n -> "k" + n).toList();
            keys.forEach(key -> outbox.append(key, 1));
            assertThat(new ManualRelay(backend.store(), "old").drain().keySet()).containsAll(keys);
            backend.store().leave("old");
            keys.forEach(key -> outbox.append(key, 2));
            OutboxSchema.changeLanes(backend.dataSource(), 3, false);
            keys.forEach(key -> outbox.append(key, 3));

            Map<String, List<String>> published = new ManualRelay(backend.store(), "new").drain();
            assertThat(published.keySet()).containsAll(keys);
            assertThat(published.values()).allMatch(List.of("2", "3")::equals);
            assertThat(backend.view().status().pending()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMigrationToTheOtherEngineKeepsTheNumberOfLanes(Engine engine) {
        try (PostgresBackend backend = PostgresBackend.of(engine)) {
            OutboxSchema.changeLanes(backend.dataSource(), 5, false);
            OutboxSchema.migrate(backend.dataSource(), engine.other(), false);
            new EveryState(backend).append("k", 1, 2);
            ManualRelay relay = new ManualRelay(
                    JdbcEngine.on(backend.dataSource(), engine.other()).store(), "new");
            assertThat(relay.lanes()).isEqualTo(5);
            assertThat(relay.drain()).isEqualTo(Map.of("k", List.of("1", "2")));
        }
    }

    @ParameterizedTest
    @EnumSource
    void anInvalidNumberOfLanesIsRefused(Engine engine) {
        try (PostgresBackend backend = PostgresBackend.of(engine)) {
            assertThatThrownBy(() -> OutboxSchema.changeLanes(backend.dataSource(), 0, false))
                    .hasMessageContaining("1 to 256");
            OutboxSchema.changeLanes(backend.dataSource(), 256, false);
            assertThat(new ManualRelay(backend.store(), "r").lanes()).isEqualTo(256);
        }
    }
}
