package io.waybill.testkit.transport;

import static io.waybill.testkit.transport.TransportTests.assertReportedOnce;
import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.testkit.transport.BreakableBroker.Capability;
import io.waybill.transport.Delivery;
import io.waybill.transport.Failure;
import io.waybill.transport.Message;
import io.waybill.transport.Transport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The order of messages of one key that a transport accepts together ({@link Transport#sendInOrder}), with a broker that works,
 * rejects a message, is killed or freezes. To test a transport, write a class that extends this one and implement
 * {@link #startBroker()}, which starts a real broker behind a proxy and connects the transport under test to it.
 * {@link TransportContract} is extended in the same way.
 */
public abstract class SendInOrderContract extends TransportFixture {
    private static final int KEYS = 4;

    @Test
    void messagesSentTogetherArriveInOrderAndEachIsReportedOnce() {
        try (Transport transport = broker().connect(LONG_TIMEOUT)) {
            List<Result> results = new ArrayList<>();
            List<Message> unsent = messages("key", 0, 3_000);
            while (!unsent.isEmpty()) {
                List<Result> accepted = sendInOrder(transport, unsent);
                accepted.forEach(result -> result.assertAcknowledged(LONG_TIMEOUT));
                results.addAll(accepted);
                unsent = unsent.subList(accepted.size(), unsent.size());
            }
            assertReportedOnce(results);
        }
        assertThat(numbers(broker().read(topic(), 3_000), "key"))
                .isEqualTo(IntStream.range(0, 3_000).boxed().toList());
    }

    /** A transport may accept fewer messages than it is given. No message behind the oversized one may be acknowledged or arrive. */
    @Test
    void noMessageOvertakesARejectedOne() {
        assumeCapable(Capability.SIZE_LIMIT);
        List<Message> messages = new ArrayList<>(messages("key", 0, 10));
        byte[] oversized = new byte[broker().sizeLimit() + 1];
        new Random(1).nextBytes(oversized); // random, so that compression does not make it fit
        messages.set(4, new Message(UUID.randomUUID(), topic(), "key", oversized, Map.of()));
        try (Transport transport = broker().connect(LONG_TIMEOUT)) {
            int acknowledged = 0;
            boolean rejected = false;
            while (!rejected) {
                List<Result> accepted = sendInOrder(transport, messages.subList(acknowledged, messages.size()));
                int succeeded = acknowledgedBeforeFirstFailure(accepted);
                acknowledged += succeeded;
                rejected = succeeded < accepted.size();
            }
            assertThat(acknowledged).isEqualTo(4);
        }
        assertThat(numbers(broker().read(topic(), 4), "key")).containsExactly(0, 1, 2, 3);
    }

    @Test
    void aKilledBrokerPreservesOrder() throws Exception {
        assertOrderAfter(allFailed -> {
            broker().kill();
            broker().heal();
        });
    }

    @Test
    void aFrozenBrokerPreservesOrder() throws Exception {
        assertOrderAfter(allFailed -> {
            broker().suspend();
            await(allFailed);
            broker().heal();
        });
    }

    @Test
    void lostAcknowledgementsPreserveOrder() throws Exception {
        assertOrderAfter(allFailed -> {
            broker().dropAnswers();
            await(allFailed);
            broker().heal();
        });
    }

    private interface Outage {
        /** @param allFailed reaches zero when a message of each key has failed */
        void run(CountDownLatch allFailed);
    }

    /** Sends messages of four keys before, during and after the outage, until all of them are acknowledged. */
    private void assertOrderAfter(Outage outage) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(KEYS);
        CountDownLatch healed = new CountDownLatch(1);
        CountDownLatch started = new CountDownLatch(KEYS);
        CountDownLatch failed = new CountDownLatch(KEYS);
        try (Transport transport = broker().connect(SHORT_TIMEOUT)) {
            List<Future<Integer>> sent = IntStream.range(0, KEYS)
                    .mapToObj(k -> threads.submit(() -> sendUntil(healed, started, failed, transport, "key-" + k)))
                    .toList();
            await(started);
            outage.run(failed);
            healed.countDown();
            int total = 0;
            for (Future<Integer> count : sent) {
                total += count.get(2, TimeUnit.MINUTES);
            }
            List<ReceivedMessage> received = broker().read(topic(), total);
            for (int k = 0; k < KEYS; k++) {
                Set<Integer> seen = new HashSet<>();
                List<Integer> firstDeliveries =
                        numbers(received, "key-" + k).stream().filter(seen::add).toList();
                assertThat(firstDeliveries)
                        .as("first deliveries of key-%s", k)
                        .isEqualTo(IntStream.range(0, sent.get(k).get()).boxed().toList());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Sends as a relay does: several messages together, and after a failure the unacknowledged ones again, one by one. */
    private int sendUntil(
            CountDownLatch healed, CountDownLatch started, CountDownLatch failed, Transport transport, String key) {
        int next = 0;
        boolean counted = false;
        for (int round = 0; round < 20 || healed.getCount() > 0; round++) {
            List<Message> unsent = messages(key, next, 50);
            boolean together = true;
            while (!unsent.isEmpty()) {
                List<Result> accepted = sendInOrder(transport, together ? unsent : unsent.subList(0, 1));
                int acknowledged = acknowledgedBeforeFirstFailure(accepted);
                if (acknowledged < accepted.size()) {
                    together = false;
                    if (!counted) {
                        counted = true;
                        failed.countDown();
                    }
                }
                unsent = unsent.subList(acknowledged, unsent.size());
            }
            next += 50;
            if (round == 10) {
                started.countDown();
            }
        }
        return next;
    }

    /** Waits for all results. After the first failure, none may be an acknowledgement. */
    private static int acknowledgedBeforeFirstFailure(List<Result> results) {
        int acknowledged = 0;
        boolean failed = false;
        for (Result result : results) {
            Optional<Failure> failure = result.await(LONG_TIMEOUT);
            assertThat(failed && failure.isEmpty())
                    .as("acknowledged behind a failure: %s", result.message())
                    .isFalse();
            failed |= failure.isPresent();
            acknowledged += failed ? 0 : 1;
        }
        return acknowledged;
    }

    /** Returns the results of the messages that the transport accepted. */
    private static List<Result> sendInOrder(Transport transport, List<Message> messages) {
        List<Result> results = messages.stream().map(Result::new).toList();
        int accepted = transport.sendInOrder(messages, List.<Delivery>copyOf(results));
        assertThat(accepted).isBetween(1, messages.size());
        return results.subList(0, accepted);
    }

    private List<Message> messages(String key, int from, int count) {
        return IntStream.range(from, from + count)
                .mapToObj(n -> message(key, Integer.toString(n)))
                .toList();
    }

    private static List<Integer> numbers(List<ReceivedMessage> received, String key) {
        return TransportTests.bodiesOf(key, received).stream()
                .map(Integer::valueOf)
                .toList();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(LONG_TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
