package io.waybill.acceptance.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.acceptance.Scenario;
import io.waybill.faults.history.Delivered;
import io.waybill.jdbc.Engine;
import io.waybill.processes.ChildProcess;
import io.waybill.processes.RelayProgram;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A backlog of large events that exceeds the memory of the relay (R12). */
@ParameterizedClass
@EnumSource(Engine.class)
@Execution(ExecutionMode.CONCURRENT) // both engines at once
class LargeEventsTest {
    private static final int EVENTS = 80;

    /** Events of one key with 0.9 MB each, half of which compresses well. */
    private static final String APPEND = """
            INSERT INTO outbox_events (aggregate_type, aggregate_id, event_type, topic, headers, payload)
            SELECT 'Order', 'one', 'order.placed', '%s', CAST('{"n":"' || n || '"}' AS json), CAST('{"a":"' || repeat('0123456789', 45000)
                   || '","b":"' || (SELECT string_agg(md5(CAST(n * 100000 + i AS text)), '') FROM generate_series(1, 14000) i)
                   || '"}' AS json)
            FROM generate_series(1, %d) n ORDER BY n""";

    private final Engine engine;

    LargeEventsTest(Engine engine) {
        this.engine = engine;
    }

    @Test
    void aRelayWithLittleMemoryPublishesAllEventsInOrder() {
        try (Scenario scenario = new Scenario("R12 large events of one key", engine)) {
            scenario.execute(APPEND.formatted(scenario.topic(), EVENTS));
            ChildProcess relay = scenario.using(RelayProgram.start(
                    engine, scenario.jdbcUrl(), scenario.broker(), "small", Duration.ofSeconds(5), List.of("-Xmx80m")));

            scenario.awaitDrained();

            assertThat(relay.hasEnded()).as("%s", relay.output()).isFalse();
            assertThat(scenario.read().stream().map(LargeEventsTest::number))
                    .containsExactlyElementsOf(
                            IntStream.rangeClosed(1, EVENTS).boxed().toList());
        }
    }

    private static int number(Delivered event) {
        return Integer.parseInt(event.headers().getOrDefault("n", "0"));
    }
}
