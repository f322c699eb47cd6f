package io.waybill.server.http.overview;

import io.waybill.WaybillException;
import io.waybill.admin.OutboxPause;
import io.waybill.admin.OutboxSearch;
import io.waybill.admin.OutboxStatus;
import io.waybill.inbox.InboxStatus;
import io.waybill.internal.DaemonThreads;
import io.waybill.saga.admin.SagaTotals;
import io.waybill.server.http.outbox.ServedInbox;
import io.waybill.server.http.outbox.ServedOutbox;
import io.waybill.store.StoreException;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Samples an outbox about once a second while it has viewers. All viewers share the samples, so the number of queries does not
 * depend on the number of viewers. Without viewers, there are no queries.
 */
final class Sampler implements AutoCloseable {
    private static final long PERIOD_MILLIS = 1_000;

    /** A request uses a sample up to this age. */
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    private static final long LONGEST_WAIT_SECONDS = 10;
    private static final Duration WINDOW = Duration.ofSeconds(10);

    private final ServedOutbox outbox;
    private final Ticker ticker;
    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.numbered("waybill-sampler"));
    private final ScheduledFuture<?> ticking;
    private final ReentrantLock sampling = new ReentrantLock();
    private final Deque<Point> points = new ArrayDeque<>();
    private volatile @Nullable Sample last;

    /** Receives each sample. Must not block. */
    interface Viewer {
        void see(Overview overview);

        void miss(WaybillException problem);
    }

    private record Point(long nanos, long pending, double outPerSecond) {}

    private record Sample(
            long nanos,
            @Nullable Overview overview,
            @Nullable WaybillException problem) {}

    Sampler(ServedOutbox outbox, Ticker ticker) {
        this.outbox = outbox;
        this.ticker = ticker;
        ticking = clock.scheduleWithFixedDelay(this::tick, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    int viewers() {
        return viewers.size();
    }

    void add(Viewer viewer) {
        viewers.add(viewer);
    }

    void remove(Viewer viewer) {
        viewers.remove(viewer);
    }

    private void tick() {
        if (viewers.isEmpty()) {
            return;
        }
        Sample sample = sample(Long.MAX_VALUE);
        for (Viewer viewer : viewers) {
            if (sample.overview() != null) {
                viewer.see(sample.overview());
            } else if (sample.problem() != null) {
                viewer.miss(sample.problem());
            }
        }
    }

    /** @throws WaybillException if the database does not answer */
    Overview current() {
        Sample sample = sample(FRESH_NANOS);
        if (sample.problem() != null) {
            throw sample.problem();
        }
        return Objects.requireNonNull(sample.overview());
    }

    /** @param freshNanos the age up to which the last sample is used; the largest value takes a new one in any case */
    private Sample sample(long freshNanos) {
        boolean always = freshNanos == Long.MAX_VALUE;
        @Nullable Sample known = last;
        if (!always && known != null && ticker.nanos() - known.nanos() < freshNanos) {
            return known;
        }
        try {
            if (!sampling.tryLock(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw new StoreException("The database does not answer.", null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("The server is stopping.", e);
        }
        try {
            known = last;
            if (!always && known != null && ticker.nanos() - known.nanos() < freshNanos) {
                return known; // another request took this sample meanwhile
            }
            Sample sample = take();
            last = sample;
            return sample;
        } finally {
            sampling.unlock();
        }
    }

    private Sample take() {
        try {
            OutboxStatus status = outbox.status();
            List<InboxStatus> inbox = outbox.inbox()
                    .map(ServedInbox::view)
                    .map(view -> view.status())
                    .orElse(List.of());
            Optional<SagaTotals> sagas =
                    outbox.sagas().map(actions -> SagaTotals.of(actions.view().activity()));
            List<OutboxPause> pauses = outbox.search().map(OutboxSearch::pauses).orElse(List.of());
            long now = ticker.nanos();
            return new Sample(
                    now, new Overview(outbox.name(), status, inbox, sagas, pauses, inPerSecond(now, status)), null);
        } catch (WaybillException e) {
            return new Sample(
                    ticker.nanos(),
                    null,
                    e instanceof StoreException ? e : new StoreException(String.valueOf(e.getMessage()), e));
        } catch (RuntimeException e) {
            return new Sample(ticker.nanos(), null, new StoreException("The outbox cannot be read: " + e, e));
        }
    }

    /**
     * Returns the rate of new events: the rate of published events plus the growth of the pending ones. Null until it is known.
     */
    private @Nullable Double inPerSecond(long now, OutboxStatus status) {
        points.addLast(new Point(now, status.pending(), status.publishedPerSecond()));
        while (points.size() > 2 && now - points.getFirst().nanos() > WINDOW.toNanos()) {
            points.removeFirst();
        }
        Point first = points.getFirst();
        double seconds = (now - first.nanos()) / 1e9;
        if (seconds < 0.5) {
            return null;
        }
        double out = points.stream().mapToDouble(Point::outPerSecond).average().orElse(0);
        return Math.max(0, out + (status.pending() - first.pending()) / seconds);
    }

    @Override
    public void close() {
        ticking.cancel(true);
        clock.shutdownNow();
    }
}
