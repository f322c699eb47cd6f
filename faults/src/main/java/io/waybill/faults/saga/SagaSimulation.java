package io.waybill.faults.saga;

import io.waybill.Event;
import io.waybill.inbox.Handler;
import io.waybill.retry.RetryPolicy;
import io.waybill.saga.Command;
import io.waybill.saga.ParallelFailure;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.Sagas;
import io.waybill.saga.StepBuilder;
import io.waybill.saga.admin.SagaFilter;
import io.waybill.saga.participant.Answer;
import io.waybill.saga.participant.SagaParticipant;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.test.MemorySagaStore;
import io.waybill.saga.test.MemoryTransaction;
import io.waybill.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Runs several saga engines on virtual time, on one store in memory. The seed determines the engine that works next, the order of
 * messages, duplicates, refusals, and the faults; only the jitter of retries is random. A process crashes before or after any write or commit, a commit succeeds
 * although its answer is lost, and a call freezes for as long as its engine is frozen, while other engines go on. At the end all faults
 * stop, an operator decides about steps that wait for a person, and {@link SagaEffects} checks every saga.
 */
public final class SagaSimulation {
    private static final List<String> EFFECTIVE = List.of("reserve", "charge", "label", "book", "pay", "ship");
    private static final int SAGAS = 3;
    private static final int ENGINES = 2;
    private static final int ACTIONS = 150;
    private static final int DEEPEST_FREEZE = 2;
    private static final int MOST_DRAIN = 3_000;

    private final SplittableRandom random;
    private final SagaBug bug;
    private final MemorySagaStore store = new MemorySagaStore(this::point);
    private final PaymentGateway gateway;
    private final List<String> orders = new ArrayList<>();
    private final Map<String, Handler<MemoryTransaction>> participants = new HashMap<>();
    private final List<Sagas<MemoryTransaction>> engines = new ArrayList<>();
    private final List<Event> delivered = new ArrayList<>();
    private final List<Event> open = new ArrayList<>();
    private final Saga<Order> saga;
    private int seen;
    private int untilFault = -1;
    private boolean lostAnswer;
    private boolean dead;
    private boolean calm;
    private int frozen;
    private int faults;

    /** The data of a saga. */
    public record Order(String id, String reservation, String receipt) {}

    /**
     * The result of a run.
     *
     * @param faults the number of crashes, lost answers and freezes
     */
    public record Report(long seed, int faults, int rolledBack, List<String> violations) {}

    /** The process of an engine, or of a participant, ended. */
    private static final class Crash extends Error {
        private static final long serialVersionUID = 1L;
    }

    private SagaSimulation(long seed, SagaBug bug) {
        this.random = new SplittableRandom(seed);
        this.bug = bug;
        this.gateway = new PaymentGateway(random, this::gatewayEffect);
        this.saga = definition();
        SagaParticipant<MemoryTransaction> participant = SagaParticipant.of("all", store.commands(), store.outbox());
        for (String step : List.of("reserve", "book", "pay", "ship")) {
            participants.put(
                    step + ".do", participant.command((transaction, event) -> answer(transaction, step, event)));
            participants.put(step + ".undo", participant.compensation(step + ".undone", (transaction, event) -> {
                effect(transaction, "undid." + step, event.key());
                return Map.of();
            }));
        }
        for (int i = 0; i < ENGINES; i++) {
            engines.add(engine());
        }
    }

    public static Report run(long seed, SagaBug bug) {
        return new SagaSimulation(seed, bug).run(seed);
    }

    /** Returns the first run with a violation. */
    public static Optional<Report> search(SagaBug bug, int runs) {
        for (long seed = 1; seed <= runs; seed++) {
            Report report = run(seed, bug);
            if (!report.violations().isEmpty()) {
                return Optional.of(report);
            }
        }
        return Optional.empty();
    }

    private Saga<Order> definition() {
        RetryPolicy retry = new RetryPolicy(3, Duration.ofSeconds(1), Duration.ofSeconds(4));
        Duration limit = Duration.ofSeconds(3);
        StepBuilder<Order> reserve = Saga.named("order", Order.class)
                .onParallelFailure(
                        random.nextBoolean()
                                ? ParallelFailure.failFast()
                                : ParallelFailure.failFastWithGrace(Duration.ofSeconds(2)))
                .step("reserve")
                .command(order -> Command.to("reserve.do", order.id(), "{}"))
                .onReply("reserve.done", (order, reply) -> new Order(order.id(), "A7", order.receipt()))
                .onRefusal("reserve.refused")
                .timeout(limit)
                .retry(retry)
                .compensation(order -> Command.to("reserve.undo", order.id(), "{}"))
                .onCompensated("reserve.undone")
                .compensationTimeout(limit);
        StepBuilder<Order> charge = reserve.then("charge")
                .external((order, call) -> {
                    if (gateway.remembersRefusals()) {
                        freeze();
                    }
                    try {
                        gateway.charge(order.id(), call.idempotencyKey());
                    } finally {
                        freeze();
                    }
                    return new Order(order.id(), order.reservation(), call.idempotencyKey());
                })
                .timeout(limit)
                .retry(retry)
                .externalCompensation((order, call) -> {
                    freeze();
                    gateway.refund(String.valueOf(call.compensates()));
                    freeze();
                    return order;
                });
        return charge.step("label")
                .local(MemoryTransaction.class, (transaction, order) -> {
                    effect(transaction, "did.label", order.id());
                    return order;
                })
                .localCompensation(MemoryTransaction.class, (transaction, order) -> {
                    effect(transaction, "undid.label", order.id());
                    return order;
                })
                .after("reserve")
                .step("book")
                .command(order -> Command.to("book.do", order.id(), "{}"))
                .onReply("book.done")
                .onRefusal("book.refused")
                .timeout(limit)
                .retry(retry)
                .compensation(order -> Command.to("book.undo", order.id(), "{}"))
                .onCompensated("book.undone")
                .compensationTimeout(limit)
                .after("charge", "label")
                .then("pay")
                .command(order -> Command.to("pay.do", order.id(), "{}"))
                .onReply("pay.done")
                .onRefusal("pay.refused")
                .timeout(limit)
                .retry(retry)
                .pivot()
                .then("ship")
                .command(order -> Command.to("ship.do", order.id(), "{}"))
                .onReply("ship.done")
                .onRefusal("ship.refused")
                .timeout(limit)
                .retry(retry)
                .retriable()
                .build();
    }

    private Sagas<MemoryTransaction> engine() {
        return Sagas.builder(store, store.outbox()).add(saga).rules(bug.rules()).build();
    }

    private Answer answer(MemoryTransaction transaction, String step, Event command) {
        if (random.nextInt(8) == 0) {
            return Answer.refused(step + ".refused", command.key(), Map.of());
        }
        effect(transaction, "did." + step, command.key());
        return Answer.done(step + ".done", command.key(), Map.of());
    }

    /** An effect is an event in the outbox, because it must roll back with its transaction. */
    private void effect(MemoryTransaction transaction, String what, String key) {
        store.outbox().append(transaction, List.of(Event.of(what, "Effect", key, "{}")));
    }

    /** The gateway is another process, so the faults of the engine that calls it do not affect it. */
    private void gatewayEffect(String what, String key) {
        int fault = untilFault;
        boolean ended = dead;
        untilFault = -1;
        dead = false;
        store.transaction("gateway", transaction -> {
            effect(transaction, what, key);
            return true;
        });
        untilFault = fault;
        dead = ended;
    }

    private Report run(long seed) {
        for (int i = 0; i < SAGAS; i++) {
            String id = "order-" + i;
            orders.add(id);
            engines.get(0).start(saga, id, new Order(id, "", ""));
        }
        for (int action = 0; action < ACTIONS; action++) {
            act();
        }
        calm = true;
        untilFault = -1;
        List<String> violations = new ArrayList<>();
        if (!drain()) {
            violations.add("the sagas do not end: " + engines.get(0).view().list(SagaFilter.all(SAGAS)));
        }
        int rolledBack = 0;
        for (String id : orders) {
            SagaRecord record = store.view().find(saga.name(), id).orElseThrow();
            rolledBack += record.status() == SagaStatus.ROLLED_BACK ? 1 : 0;
            int ends = (int) store.view().history(record.id()).stream()
                    .filter(entry -> entry.kind() == HistoryKind.ENDED)
                    .count();
            SagaEffects effects = effects(id);
            for (String violation : effects.violations(saga, record.status(), ends, EFFECTIVE)) {
                violations.add(id + ": " + violation + " (" + effects + ")");
            }
        }
        return new Report(seed, faults, rolledBack, List.copyOf(violations));
    }

    /** Returns the effects of a saga, in their order. */
    private SagaEffects effects(String id) {
        SagaEffects effects = new SagaEffects();
        for (Event event : store.events()) {
            if (event.key().equals(id) && event.type().startsWith("did.")) {
                effects.did(event.type().substring(4));
            } else if (event.key().equals(id) && event.type().startsWith("undid.")) {
                effects.undid(event.type().substring(6));
            }
        }
        return effects;
    }

    /** Something happens: an engine works, a message arrives, or time passes. A crash ends only the process that acts. */
    private void act() {
        if (!calm && untilFault < 0 && random.nextInt(5) == 0) {
            untilFault = random.nextInt(12);
            lostAnswer = random.nextInt(3) == 0;
        }
        int engine = random.nextInt(ENGINES);
        try {
            switch (random.nextInt(6)) {
                case 0, 1 -> engines.get(engine).runOnce();
                case 2 -> pass();
                case 3 -> {
                    if (!delivered.isEmpty() && !calm) {
                        deliver(engine, delivered.get(random.nextInt(delivered.size())));
                    }
                }
                default -> {
                    List<Event> waiting = open();
                    if (!waiting.isEmpty()) {
                        Event event = waiting.get(random.nextInt(waiting.size()));
                        deliver(engine, event);
                        open.remove(event);
                        delivered.add(event);
                    }
                }
            }
        } catch (Crash crash) {
            dead = false;
            engines.set(engine, engine());
        } catch (StoreException lost) {
            // the consumer gets the event again
        }
    }

    private List<Event> open() {
        List<Event> events = store.events();
        for (Event event : events.subList(seen, events.size())) {
            if (!event.type().startsWith("did.") && !event.type().startsWith("undid.")) {
                open.add(event);
            }
        }
        seen = events.size();
        return open;
    }

    private void deliver(int engine, Event event) {
        Handler<MemoryTransaction> participant = participants.get(event.type());
        Handler<MemoryTransaction> handler =
                participant == null ? engines.get(engine).replies() : participant;
        store.handle(handler, event);
    }

    /** Time passes, often exactly until the next saga is due. */
    private void pass() {
        Optional<Instant> wake = store.nextWake();
        Duration wait = wake.map(at -> Duration.between(store.now(), at)).orElse(Duration.ZERO);
        store.advance(
                random.nextBoolean() && !wait.isNegative() && !wait.isZero()
                        ? wait
                        : Duration.ofMillis(1 + random.nextInt(1_500)));
    }

    /** The engine that makes a call is frozen, or the answer is late; meanwhile others go on. */
    private void freeze() {
        if (!calm && frozen < DEEPEST_FREEZE && random.nextInt(3) == 0) {
            frozen++;
            faults++;
            for (int action = random.nextInt(25); action > 0; action--) {
                act();
            }
            frozen--;
        }
    }

    private void point(String point) {
        if (dead) {
            throw new Crash();
        }
        if (untilFault >= 0 && untilFault-- == 0) {
            if (!lostAnswer) {
                faults++;
                dead = true;
                throw new Crash();
            }
            if (point.startsWith("committed")) {
                faults++;
                throw new StoreException("The answer to the commit was lost.", null);
            }
            untilFault = 0; // the answer to the next commit
        }
    }

    /** Lets everything arrive and end. */
    private boolean drain() {
        for (int action = 0; action < MOST_DRAIN; action++) {
            act();
            boolean ended = true;
            for (String id : orders) {
                SagaRecord record = store.view().find(saga.name(), id).orElseThrow();
                ended &= record.ended();
                if (!record.stuck().isEmpty()
                        && store.view().signals(record.id()).isEmpty()) {
                    decide(record);
                }
            }
            if (ended && open().isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** A person asks the participant of the pivot what has happened, and lets other steps try again. */
    private void decide(SagaRecord record) {
        String step = record.stuck().split(",", 2)[0];
        boolean paid = store.events().stream()
                .anyMatch(event -> event.type().equals("did.pay") && event.key().equals(record.businessKey()));
        SagaSignal.Kind action =
                !step.equals("pay") ? SagaSignal.Kind.RETRY : paid ? SagaSignal.Kind.RESOLVE : SagaSignal.Kind.REFUSE;
        boolean unanswered = open().stream()
                .anyMatch(event -> event.type().equals("pay.do") && event.key().equals(record.businessKey()));
        if (!step.equals("pay") || !unanswered) {
            engines.get(0).operations().request(record.id(), action, step, null, "operator", "simulation");
        }
    }
}
