package io.waybill.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortTest {
    /** Kafka once was given one port for both of its listeners. */
    @Test
    void noPortIsGivenTwice() {
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 2_000; i++) {
            assertThat(ports.add(FreePort.find())).isTrue();
        }
    }
}
