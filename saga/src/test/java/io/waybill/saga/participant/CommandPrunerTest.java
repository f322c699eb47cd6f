package io.waybill.saga.participant;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CommandPrunerTest {
    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger pruned = new AtomicInteger();
    private final CommandPruner pruner = new CommandPruner(pruned::addAndGet, now::get);

    @Test
    void moreCommandsAreRemovedThanArrive() {
        int commands = 10_000;
        for (int i = 0; i < commands; i++) {
            pruner.maybePrune();
        }
        assertThat(pruned).hasValueGreaterThan(commands);
    }

    @Test
    void aRareCommandRemovesOldOnes() {
        pruner.maybePrune();
        assertThat(pruned).hasValue(0);
        now.addAndGet(Duration.ofMinutes(2).toNanos());
        pruner.maybePrune();
        assertThat(pruned).hasPositiveValue();
    }

    @Test
    void aFailureDoesNotReachTheCommand() {
        CommandPruner failing = new CommandPruner(
                limit -> {
                    throw new IllegalStateException("the database is down");
                },
                now::get);
        now.addAndGet(Duration.ofMinutes(2).toNanos());
        failing.maybePrune();
    }
}
