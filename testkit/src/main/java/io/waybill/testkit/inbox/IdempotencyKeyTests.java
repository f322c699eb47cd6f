package io.waybill.testkit.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.inbox.IdempotencyKeys.Conflict;
import io.waybill.inbox.IdempotencyKeys.Response;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Requests with an idempotency key: each is answered once. */
interface IdempotencyKeyTests<T> extends InboxTests<T> {
    @Test
    default void aRepeatedRequestGetsTheStoredResponse() {
        for (int i = 0; i < 3; i++) {
            Response response = answer("key-1", "hash", "created");
            assertThat(response).isEqualTo(new Response(201, "created"));
        }
        assertThat(backend().ledger()).containsExactly("created");
        assertThatThrownBy(() -> answer("key-1", "other hash", "x"))
                .isInstanceOfSatisfying(
                        Conflict.class,
                        conflict -> assertThat(conflict.isInProgress()).isFalse());
        backend().age(Duration.ofDays(2));
        assertThat(answer("key-1", "other hash", "after a day")).isEqualTo(new Response(201, "after a day"));
        backend().age(Duration.ofDays(2));
        assertThat(backend().idempotencyKeys().prune(10)).isEqualTo(1);
    }

    @Test
    default void aRequestInProgressIsAConflictUntilItsTakeover() throws Exception {
        try (SlowRequest slow = new SlowRequest(backend(), "key-1", "slow")) {
            assertThatThrownBy(() -> answer("key-1", "hash", "x"))
                    .isInstanceOfSatisfying(
                            Conflict.class,
                            conflict -> assertThat(conflict.isInProgress()).isTrue());
            backend().age(Duration.ofSeconds(31));
            assertThat(answer("key-1", "hash", "taken over").body()).isEqualTo("taken over");
            assertThat(slow.finish())
                    .as("response of the slow request, whose own work is rolled back")
                    .isEqualTo(new Response(201, "taken over"));
        }
        assertThat(backend().ledger()).containsExactly("taken over");
    }

    /** Each repeated request takes the key over. If a takeover cancelled the request before it, none would ever finish. */
    @Test
    default void workThatTakesLongerThanTheTakeoverTimeFinishes() throws Exception {
        try (SlowRequest first = new SlowRequest(backend(), "key-1", "first")) {
            backend().age(Duration.ofSeconds(31));
            try (SlowRequest second = new SlowRequest(backend(), "key-1", "second")) {
                backend().age(Duration.ofSeconds(31));
                assertThat(first.finish()).isEqualTo(new Response(201, "first"));
                assertThat(second.finish()).isEqualTo(new Response(201, "first"));
            }
        }
        assertThat(answer("key-1", "hash", "x")).isEqualTo(new Response(201, "first"));
        assertThat(backend().ledger()).containsExactly("first");
    }

    @Test
    default void aSlowRequestWhoseKeyWasTakenOverAndFreedStillFinishes() throws Exception {
        try (SlowRequest first = new SlowRequest(backend(), "key-1", "first")) {
            backend().age(Duration.ofSeconds(31));
            assertThatThrownBy(() -> backend()
                            .idempotencyKeys()
                            .answer("orders", "key-1", "hash", Duration.ofDays(1), transaction -> {
                                throw new IllegalStateException("no stock");
                            }))
                    .hasMessage("no stock");
            assertThat(first.finish()).isEqualTo(new Response(201, "first"));
        }
        assertThat(answer("key-1", "hash", "x")).isEqualTo(new Response(201, "first"));
        assertThat(backend().ledger()).containsExactly("first");
    }

    @Test
    default void expiredKeysAreRemovedByLaterRequests() {
        answer("old", "hash", "old");
        backend().age(Duration.ofDays(2));
        for (int i = 0; i < 100; i++) {
            answer("key-" + i, "hash", "new");
        }
        assertThat(backend().idempotencyKeys().prune(1_000))
                .as("expired keys left")
                .isZero();
    }

    @Test
    default void aFailedRequestLeavesItsKeyUnused() {
        assertThatThrownBy(() -> backend()
                        .idempotencyKeys()
                        .answer("orders", "key-1", "hash", Duration.ofDays(1), transaction -> {
                            backend().writeLedger(transaction, "lost");
                            throw new IllegalStateException("no stock");
                        }))
                .hasMessage("no stock");
        assertThat(answer("key-1", "another hash", "fine").body()).isEqualTo("fine");
        assertThat(backend().ledger()).containsExactly("fine");
    }

    @Test
    default void aCrashedRequestDoesNotHoldItsKeyUntilAClockThatWasSetBack() throws Exception {
        try (SlowRequest crashed = new SlowRequest(backend(), "key-1", "crashed")) {
            backend().age(Duration.ofHours(-1));
            assertThat(answer("key-1", "hash", "repeated").body()).isEqualTo("repeated");
            assertThat(crashed.finish().body()).isEqualTo("repeated");
        }
        assertThat(backend().ledger()).containsExactly("repeated");
    }

    private Response answer(String key, String hash, String text) {
        return backend().idempotencyKeys().answer("orders", key, hash, Duration.ofDays(1), transaction -> {
            backend().writeLedger(transaction, text);
            return new Response(201, text);
        });
    }
}
