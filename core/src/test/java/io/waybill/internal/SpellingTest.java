package io.waybill.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpellingTest {
    private static final List<String> KNOWN = List.of("relay.batch-size", "relay.workers", "type", "key");

    @Test
    void aMisspeltNameSuggestsTheClosestOne() {
        assertThat(Spelling.closest("relay.bacth.size", KNOWN)).contains("relay.batch-size");
        assertThat(Spelling.closest("relay_batchsize", KNOWN)).contains("relay.batch-size");
        assertThat(Spelling.closest("typ", KNOWN)).contains("type");
    }

    @Test
    void anUnrelatedNameSuggestsNothing() {
        assertThat(Spelling.closest("compression", KNOWN)).isEmpty();
    }
}
