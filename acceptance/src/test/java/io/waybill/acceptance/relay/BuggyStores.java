package io.waybill.acceptance.relay;

import io.waybill.acceptance.Scenario;
import io.waybill.faults.crash.CrashingDataSource;
import io.waybill.store.ClaimedEvent;
import io.waybill.store.Lease;
import io.waybill.store.OutboxStore;
import io.waybill.store.PublishOutcome;
import io.waybill.store.RelayReport;
import io.waybill.store.RelayRoster;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Bugs of a store. The checker or the count of attempts must find each of them. */
final class BuggyStores {
    private BuggyStores() {}

    /** Orders the events of a key by time instead of sequence. */
    static OutboxStore orderByTime(OutboxStore store) {
        return new BuggyStore(store) {
            @Override
            public List<ClaimedEvent> advance(Lease lease, List<PublishOutcome> outcomes, int limit) {
                List<ClaimedEvent> claims = new ArrayList<>(super.advance(lease, outcomes, limit));
                claims.sort(Comparator.comparing(claimed -> claimed.event().occurredAt()));
                return claims;
            }
        };
    }

    /** Orders the events of a key by transaction id. */
    static OutboxStore orderByTransaction(OutboxStore store, Scenario scenario) {
        return new BuggyStore(store) {
            @Override
            public List<ClaimedEvent> advance(Lease lease, List<PublishOutcome> outcomes, int limit) {
                List<ClaimedEvent> claims = new ArrayList<>(super.advance(lease, outcomes, limit));
                // the rows of both engines have xmin
                Map<ClaimedEvent, Long> numbers = new HashMap<>();
                claims.forEach(claimed -> numbers.put(
                        claimed,
                        scenario.number("SELECT xmin::text::bigint FROM outbox_events WHERE id = '"
                                + claimed.event().id() + "'")));
                claims.sort(Comparator.comparing(numbers::get));
                return claims;
            }
        };
    }

    /** Reads {@code seq > last}, which misses events that a long transaction commits later with a lower sequence. */
    static OutboxStore readAboveLast(OutboxStore store) {
        Map<Integer, Long> last = new ConcurrentHashMap<>();
        Map<Integer, List<PublishOutcome>> unseen = new ConcurrentHashMap<>();
        return new BuggyStore(store) {
            @Override
            public List<ClaimedEvent> advance(Lease lease, List<PublishOutcome> outcomes, int limit) {
                List<PublishOutcome> all = new ArrayList<>(outcomes);
                List<PublishOutcome> passed = unseen.remove(lease.lane());
                if (passed != null) {
                    all.addAll(passed);
                }
                List<ClaimedEvent> seen = new ArrayList<>();
                List<PublishOutcome> below = new ArrayList<>();
                for (ClaimedEvent claimed : super.advance(lease, all, limit)) {
                    if (claimed.position() > last.getOrDefault(lease.lane(), 0L)) {
                        seen.add(claimed);
                    } else {
                        below.add(new PublishOutcome.Published(claimed));
                    }
                }
                seen.forEach(claimed -> last.merge(lease.lane(), claimed.position(), Math::max));
                unseen.put(lease.lane(), below);
                return seen;
            }
        };
    }

    /** Does not count failures. */
    static OutboxStore retryWithoutCounting(OutboxStore store) {
        UnaryOperator<PublishOutcome> uncounted = outcome -> outcome instanceof PublishOutcome.Retry retry
                ? new PublishOutcome.Retry(retry.claimed(), retry.delay(), retry.error(), false)
                : outcome;
        return new BuggyStore(store) {
            @Override
            public List<ClaimedEvent> advance(Lease lease, List<PublishOutcome> outcomes, int limit) {
                return super.advance(lease, outcomes.stream().map(uncounted).toList(), limit);
            }
        };
    }

    /** Stops renewing its leases after the first heartbeat, continues to work, and writes with the fence that is currently valid. */
    static OutboxStore noFence(OutboxStore store, Scenario scenario) {
        return new BuggyStore(store) {
            private volatile @Nullable RelayRoster first;

            @Override
            public RelayRoster heartbeat(RelayReport report, Duration lease) {
                RelayRoster known = first;
                if (known != null) {
                    return new RelayRoster(
                            known.relays(),
                            known.serving(),
                            known.lanes().stream()
                                    .map(row -> new RelayRoster.Ownership(row.lane(), report.name(), 1, lease))
                                    .toList());
                }
                RelayRoster roll = super.heartbeat(report, lease);
                first = roll;
                return roll;
            }

            @Override
            public List<ClaimedEvent> advance(Lease lease, List<PublishOutcome> outcomes, int limit) {
                return super.advance(current(lease), outcomes, limit);
            }

            @Override
            public void reconcile(Lease lease, List<PublishOutcome> outcomes) {
                super.reconcile(current(lease), outcomes);
            }

            private Lease current(Lease lease) {
                return scenario.status().lanes().stream()
                        .filter(lane ->
                                lane.lane() == lease.lane() && !lane.owner().isEmpty())
                        .map(lane -> new Lease(lane.lane(), lane.owner(), lane.fence()))
                        .findFirst()
                        .orElse(lease);
            }
        };
    }

    /** Does not wait until its commits are durable. */
    static DataSource hastyCommits(DataSource dataSource) {
        return (DataSource) Proxy.newProxyInstance(
                BuggyStores.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    Object result = method.invoke(dataSource, arguments);
                    return result instanceof Connection connection ? hasty(connection) : result;
                });
    }

    private static Connection hasty(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                BuggyStores.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    try {
                        if (method.getName().equals("commit") || CrashingDataSource.bringsCommit(arguments)) {
                            try (Statement statement = connection.createStatement()) {
                                statement.execute("SET LOCAL synchronous_commit = off");
                            }
                        }
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }
}
