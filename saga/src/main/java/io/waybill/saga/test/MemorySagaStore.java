package io.waybill.saga.test;

import io.waybill.Event;
import io.waybill.Outbox;
import io.waybill.WaybillException;
import io.waybill.inbox.Handler;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.admin.SagaActivity;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.saga.admin.SagaOperations;
import io.waybill.saga.admin.SagaStatistics;
import io.waybill.saga.admin.SagaView;
import io.waybill.saga.participant.CommandStore;
import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.LockedSaga;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.store.SagaStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sagas, their outbox and the commands of participants in memory, with transactions that roll back. Transactions run one at a time.
 * The time stands still until a test moves it.
 */
public final class MemorySagaStore implements SagaStore<MemoryTransaction> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Consumer<String> points;
    private final Map<Definition, SagaOutline> outlines = new HashMap<>();
    private Content content = new Content();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    public MemorySagaStore() {
        this(point -> {});
    }

    /** @param points called before and after each commit and before each write, with its name; may throw to simulate a failure there */
    public MemorySagaStore(Consumer<String> points) {
        this.points = points;
    }

    /** All rows. A transaction works on a copy, which replaces the content when it commits. */
    private static final class Content {
        final Map<UUID, SagaRecord> sagas = new LinkedHashMap<>();
        final Map<UUID, List<HistoryEntry>> history = new HashMap<>();
        final Map<UUID, List<SagaSignal>> signals = new LinkedHashMap<>();
        final Map<UUID, Instant> restUntil = new HashMap<>();
        final Map<String, CommandStore.Known> commands = new HashMap<>();
        final List<Event> outbox = new ArrayList<>();
        long nextSignal = 1;

        Content copy() {
            Content copy = new Content();
            copy.sagas.putAll(sagas);
            history.forEach((id, entries) -> copy.history.put(id, new ArrayList<>(entries)));
            signals.forEach((id, waiting) -> copy.signals.put(id, new ArrayList<>(waiting)));
            copy.restUntil.putAll(restUntil);
            copy.commands.putAll(commands);
            copy.outbox.addAll(outbox);
            copy.nextSignal = nextSignal;
            return copy;
        }
    }

    /** Moves the time of the store forwards. */
    public void advance(Duration time) {
        now = now.plus(time);
    }

    public Instant now() {
        return now;
    }

    /** The events that committed transactions have appended, in their order. */
    public List<Event> events() {
        return List.copyOf(content.outbox);
    }

    /** When the next saga is due; empty if none waits for a time. */
    public Optional<Instant> nextWake() {
        return content.sagas.values().stream()
                .filter(saga -> saga.wakeAt() != null)
                .map(saga -> later(saga.wakeAt(), content.restUntil.get(saga.id())))
                .min(Comparator.naturalOrder());
    }

    private static Instant later(@Nullable Instant wake, @Nullable Instant rest) {
        Instant known = Objects.requireNonNull(wake);
        return rest != null && rest.isAfter(known) ? rest : known;
    }

    public Outbox<MemoryTransaction> outbox() {
        return (transaction, events) -> {
            requireOpen(transaction);
            points.accept("append");
            content.outbox.addAll(events);
        };
    }

    @Override
    public <R> R transaction(String what, Work<MemoryTransaction, R> work) {
        lock.lock();
        Content before = content;
        MemoryTransaction transaction = new MemoryTransaction();
        try {
            points.accept("begin: " + what);
            content = before.copy();
            R result = work.in(transaction);
            points.accept("commit: " + what);
            before = content;
            points.accept("committed: " + what);
            return result;
        } finally {
            content = before;
            transaction.end();
            lock.unlock();
        }
    }

    /** Handles an event in a transaction, as an inbox does. */
    public void handle(Handler<MemoryTransaction> handler, Event event) {
        transaction("handle " + event.type(), transaction -> {
            try {
                handler.handle(transaction, event);
                return true;
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void requireOpen(MemoryTransaction transaction) {
        if (!transaction.isOpen()) {
            throw new WaybillException("The transaction has ended.");
        }
    }

    @Override
    public Class<MemoryTransaction> transactionType() {
        return MemoryTransaction.class;
    }

    @Override
    public Instant now(MemoryTransaction transaction) {
        return now;
    }

    @Override
    public boolean insert(MemoryTransaction transaction, SagaRecord saga, List<HistoryEntry> history) {
        requireOpen(transaction);
        points.accept("insert");
        if (find(transaction, saga.name(), saga.businessKey()).isPresent()) {
            return false;
        }
        content.sagas.put(saga.id(), saga);
        content.history.put(saga.id(), new ArrayList<>(history));
        return true;
    }

    @Override
    public Optional<SagaRecord> find(MemoryTransaction transaction, String name, String businessKey) {
        requireOpen(transaction);
        return view().find(name, businessKey);
    }

    @Override
    public Optional<LockedSaga> lock(MemoryTransaction transaction, UUID id) {
        requireOpen(transaction);
        return Optional.ofNullable(content.sagas.get(id)).map(saga -> new LockedSaga(saga, now, List.of()));
    }

    @Override
    public Optional<LockedSaga> lockDue(MemoryTransaction transaction, UUID id) {
        requireOpen(transaction);
        return Optional.ofNullable(content.sagas.get(id))
                .filter(this::isDue)
                .map(saga -> new LockedSaga(saga, now, List.copyOf(signalsOf(id))));
    }

    private List<SagaSignal> signalsOf(UUID id) {
        return content.signals.getOrDefault(id, List.of());
    }

    private boolean isDue(SagaRecord saga) {
        Instant rest = content.restUntil.get(saga.id());
        boolean due = (saga.wakeAt() != null && !saga.wakeAt().isAfter(now))
                || !signalsOf(saga.id()).isEmpty();
        return due && (rest == null || !rest.isAfter(now));
    }

    @Override
    public void update(
            MemoryTransaction transaction,
            SagaRecord saga,
            boolean dataChanged,
            List<HistoryEntry> history,
            List<SagaSignal> applied) {
        requireOpen(transaction);
        points.accept("update");
        content.sagas.put(saga.id(), saga);
        content.history.computeIfAbsent(saga.id(), id -> new ArrayList<>()).addAll(history);
        content.restUntil.remove(saga.id());
        List<SagaSignal> waiting = content.signals.get(saga.id());
        if (waiting != null) {
            waiting.removeAll(applied);
        }
    }

    @Override
    public void post(MemoryTransaction transaction, UUID saga, SagaSignal signal) {
        requireOpen(transaction);
        points.accept("post");
        content.signals
                .computeIfAbsent(saga, id -> new ArrayList<>())
                .add(new SagaSignal(
                        content.nextSignal++,
                        signal.kind(),
                        signal.step(),
                        signal.detail(),
                        signal.actor(),
                        signal.reason()));
    }

    @Override
    public List<UUID> due(Collection<Definition> definitions, int limit) {
        return content.sagas.values().stream()
                .filter(saga -> definitions.contains(new Definition(saga.name(), saga.version())))
                .filter(this::isDue)
                .map(SagaRecord::id)
                .limit(limit)
                .toList();
    }

    @Override
    public SagaOutline register(SagaOutline outline) {
        SagaOutline stored = outlines.putIfAbsent(new Definition(outline.name(), outline.version()), outline);
        return stored == null ? outline : stored;
    }

    @Override
    public void postpone(UUID id, Duration delay, String error) {
        transaction("postpone", transaction -> content.restUntil.put(id, now.plus(delay)));
    }

    @Override
    public int wakeAfterClockStep(Duration longestRest) {
        return transaction("wake", transaction -> {
            List<SagaRecord> ahead = content.sagas.values().stream()
                    .filter(saga -> !saga.ended() && (isAhead(saga) || restsBeyond(saga, now.plus(longestRest))))
                    .toList();
            ahead.forEach(saga -> {
                content.restUntil.remove(saga.id());
                content.sagas.put(saga.id(), saga.wakingAt(now));
            });
            return ahead.size();
        });
    }

    /** Whether the saga was written in the future and is not due. */
    private boolean isAhead(SagaRecord saga) {
        return saga.wakeAt() != null
                && saga.wakeAt().isAfter(now)
                && saga.updatedAt().isAfter(now.plusSeconds(1));
    }

    private boolean restsBeyond(SagaRecord saga, Instant time) {
        Instant rest = content.restUntil.get(saga.id());
        return rest != null && rest.isAfter(time);
    }

    @Override
    public int prune(Duration age, int limit) {
        return transaction("prune", transaction -> {
            List<UUID> old = content.sagas.values().stream()
                    .filter(saga -> saga.endedAt() != null && saga.endedAt().isBefore(now.minus(age)))
                    .map(SagaRecord::id)
                    .limit(limit)
                    .toList();
            old.forEach(id -> {
                content.sagas.remove(id);
                content.history.remove(id);
                content.signals.remove(id);
            });
            return old.size();
        });
    }

    @Override
    public SagaView view() {
        return new View();
    }

    @Override
    public SagaOperations operations() {
        return (saga, action, step, data, actor, reason) -> transaction("request", transaction -> {
            SagaRecord stored = content.sagas.get(saga);
            if (stored == null || stored.ended()) {
                throw new WaybillException("Saga " + saga + (stored == null ? " does not exist." : " has ended."));
            }
            post(transaction, saga, new SagaSignal(0, action, step, data, actor, reason));
            return content.nextSignal - 1;
        });
    }

    /** The commands that participants in the same memory have executed. */
    public CommandStore<MemoryTransaction> commands() {
        return new CommandStore<>() {
            @Override
            public Optional<Known> putIfAbsent(MemoryTransaction transaction, String group, UUID command, State state) {
                points.accept("command");
                return Optional.ofNullable(content.commands.putIfAbsent(group + command, new Known(state, null)));
            }

            @Override
            public void update(
                    MemoryTransaction transaction,
                    String group,
                    UUID command,
                    State state,
                    @Nullable StoredReply reply) {
                points.accept("answer");
                content.commands.put(group + command, new Known(state, reply));
            }

            @Override
            public int prune(String group, Duration age, int limit) {
                return 0;
            }
        };
    }

    private final class View implements SagaView {
        @Override
        public List<SagaRecord> list(SagaFilter filter) {
            return content.sagas.values().stream()
                    .filter(saga -> filter.name() == null || filter.name().equals(saga.name()))
                    .filter(saga ->
                            filter.statuses().isEmpty() || filter.statuses().contains(saga.status()))
                    .filter(saga ->
                            filter.keyPrefix() == null || saga.businessKey().startsWith(filter.keyPrefix()))
                    .filter(saga -> !filter.stuckOnly() || !saga.stuck().isEmpty())
                    .filter(saga -> filter.stuckStep() == null
                            || List.of(saga.stuck().split(",", -1)).contains(filter.stuckStep()))
                    .filter(saga ->
                            filter.olderThan() == null || saga.createdAt().isBefore(now.minus(filter.olderThan())))
                    .sorted(Comparator.comparing(SagaRecord::id).reversed())
                    .filter(saga -> filter.after() == null || saga.id().compareTo(filter.after()) < 0)
                    .limit(filter.limit())
                    .toList();
        }

        @Override
        public Optional<SagaRecord> find(UUID id) {
            return Optional.ofNullable(content.sagas.get(id));
        }

        @Override
        public Optional<SagaRecord> find(String name, String businessKey) {
            return content.sagas.values().stream()
                    .filter(saga ->
                            saga.name().equals(name) && saga.businessKey().equals(businessKey))
                    .findFirst();
        }

        @Override
        public List<HistoryEntry> history(UUID id, int limit) {
            List<HistoryEntry> all = content.history.getOrDefault(id, List.of());
            return List.copyOf(all.subList(Math.max(0, all.size() - limit), all.size()));
        }

        @Override
        public List<Definition> definitions() {
            return outlines.keySet().stream()
                    .sorted(Comparator.comparing(Definition::name).thenComparing(Definition::version))
                    .toList();
        }

        @Override
        public List<SagaSignal> signals(UUID id) {
            return List.copyOf(signalsOf(id));
        }

        @Override
        public Optional<SagaOutline> outline(String name, int version) {
            return Optional.ofNullable(outlines.get(new Definition(name, version)));
        }

        @Override
        public List<SagaStatistics> statistics() {
            Map<String, SagaStatistics> groups = new LinkedHashMap<>();
            for (SagaRecord saga : content.sagas.values()) {
                Duration age = saga.ended() ? Duration.ZERO : Duration.between(saga.createdAt(), now);
                SagaStatus status = saga.status();
                groups.merge(
                        saga.name() + status,
                        new SagaStatistics(saga.name(), status, 1, saga.stuck().isEmpty() ? 0 : 1, age),
                        (first, second) -> new SagaStatistics(
                                first.name(),
                                status,
                                first.count() + second.count(),
                                first.stuck() + second.stuck(),
                                longer(first.oldest(), second.oldest())));
            }
            return List.copyOf(groups.values());
        }

        @Override
        public List<SagaActivity> activity() {
            Map<String, SagaActivity> groups = new LinkedHashMap<>();
            for (SagaRecord saga : content.sagas.values()) {
                if (!saga.ended()) {
                    SagaActivity one = new SagaActivity(
                            saga.name(),
                            saga.status(),
                            1,
                            saga.stuck().isEmpty() ? 0 : 1,
                            Duration.between(saga.createdAt(), now),
                            lag(saga));
                    groups.merge(saga.name() + saga.status(), one, View::add);
                }
            }
            return List.copyOf(groups.values());
        }

        private Duration lag(SagaRecord saga) {
            Instant wake = saga.wakeAt();
            return wake == null || wake.isAfter(now) ? Duration.ZERO : Duration.between(wake, now);
        }

        private static SagaActivity add(SagaActivity first, SagaActivity second) {
            return new SagaActivity(
                    first.name(),
                    first.status(),
                    first.count() + second.count(),
                    first.stuck() + second.stuck(),
                    longer(first.oldest(), second.oldest()),
                    longer(first.timerLag(), second.timerLag()));
        }

        private static Duration longer(Duration first, Duration second) {
            return first.compareTo(second) > 0 ? first : second;
        }
    }
}
