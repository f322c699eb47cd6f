package io.waybill.faults.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.Headers;
import io.waybill.faults.history.History.Attempt;
import io.waybill.faults.history.History.Result;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {
    private final Written ok = Written.of("changed", "key-1", 1, "text", Map.of("written-by", "ä ö"));
    private final Written rolledBack = Written.of("changed", "key-1", 2, "", Map.of());
    private final Written lost = Written.of("changed", "key-2", 1, "more", Map.of());

    @Test
    void aFileKeepsAllAttemptsAndResults(@TempDir Path folder) throws Exception {
        History one = History.in(folder.resolve("one"));
        one.invoke(ok);
        one.invoke(rolledBack);
        one.tell(List.of(ok), Result.OK);
        one.tell(List.of(rolledBack), Result.FAIL);
        History other = History.in(folder.resolve("other"));
        other.invoke(lost);

        History read = History.read(List.of(folder.resolve("one"), folder.resolve("other")));

        assertThat(read.attempts())
                .containsExactlyInAnyOrder(
                        new Attempt(ok, Result.OK),
                        new Attempt(rolledBack, Result.FAIL),
                        new Attempt(lost, Result.INVOKED));
    }

    /** A writer was killed while it wrote a line. */
    @Test
    void anIncompleteLastLineIsIgnored(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("torn");
        History history = History.in(file);
        history.invoke(ok);
        Files.writeString(
                file, "2026-11-15T10:00:00Z\tok\t" + ok.id().toString().substring(0, 20), StandardOpenOption.APPEND);

        assertThat(History.read(List.of(file)).attempts()).containsExactly(new Attempt(ok, Result.INVOKED));
    }

    /** Thousands of big events must fit into the memory of the checker. */
    @Test
    void aBigPayloadIsStoredAsASummaryAndStillCompared(@TempDir Path folder) throws Exception {
        Written big = Written.of("changed", "key-1", 1, "x".repeat(600_000), Map.of());
        Path file = folder.resolve("big");
        History history = History.in(file);
        history.invoke(big);
        history.tell(List.of(big), Result.OK);
        assertThat(Files.size(file)).isLessThan(1_000);

        List<Attempt> attempts = History.read(List.of(file)).attempts();
        Set<UUID> committed = Set.of(big.id());
        assertThat(Checker.check(attempts, committed, List.of(delivered(big, big.payload())), Set.of())
                        .corrupt())
                .isEmpty();
        assertThat(Checker.check(
                                attempts,
                                committed,
                                List.of(delivered(big, big.payload().replaceFirst("x", "y"))),
                                Set.of())
                        .corrupt())
                .hasSize(1);
    }

    private static Delivered delivered(Written event, String payload) {
        return Delivered.of(
                event.key(), Map.of(Headers.EVENT_ID, event.id().toString()), payload.getBytes(StandardCharsets.UTF_8));
    }
}
