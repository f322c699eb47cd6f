package io.waybill.saga.test;

import io.waybill.Event;
import io.waybill.inbox.Handler;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaHeaders;
import io.waybill.saga.SagaJson;
import io.waybill.saga.SagaResult;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.Sagas;
import io.waybill.saga.SagasBuilder;
import io.waybill.saga.StepStatus;
import io.waybill.saga.internal.execution.SagaRules;
import io.waybill.saga.internal.execution.StateJson;
import io.waybill.saga.internal.execution.StepState;
import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.picture.SagaPicture;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs one saga in memory and on virtual time. A test starts it, looks at the commands that it sends, answers them or lets time
 * pass, and then expects a state. Methods that expect something throw an AssertionError that shows what happened instead.
 *
 * <pre>{@code
 * SagaScenario.of(placeOrder, order)
 *         .start()
 *         .expectCommand("inventory.stock.reserve-requested.v1")
 *         .reply("inventory.stock.reserved.v1", "{}")
 *         .expectCommand("payment.requested.v1")
 *         .reply("payment.declined.v1", "{}")
 *         .expectCommand("inventory.stock.release-requested.v1")
 *         .expectStatus(SagaStatus.ROLLED_BACK);
 * }</pre>
 */
public final class SagaScenario<D> {
    private static final int MOST_TURNS = 1_000;

    private final Saga<D> saga;
    private final D data;
    private final String key;
    private final CrashPoints crashPoints = new CrashPoints();
    private final MemorySagaStore store = new MemorySagaStore(crashPoints::pass);
    private final Map<String, Handler<MemoryTransaction>> participants = new HashMap<>();
    private final Set<UUID> applied = new LinkedHashSet<>();
    private final List<Saga<?>> others = new ArrayList<>();
    private SagaRules rules = SagaRules.RIGHT;
    private SagaJson json = SagaJson.DEFAULT;
    private Sagas<MemoryTransaction> engine;
    private int seen;
    private Event lastCommand;

    private SagaScenario(Saga<D> saga, String key, D data) {
        this.saga = saga;
        this.key = key;
        this.data = data;
        this.engine = newEngine();
        this.lastCommand = Event.of("nothing", "nothing", "nothing", "{}");
    }

    public static <D> SagaScenario<D> of(Saga<D> saga, D data) {
        return new SagaScenario<>(saga, "key-1", data);
    }

    public static <D> SagaScenario<D> of(Saga<D> saga, String businessKey, D data) {
        return new SagaScenario<>(saga, businessKey, data);
    }

    private Sagas<MemoryTransaction> newEngine() {
        SagasBuilder<MemoryTransaction> builder =
                Sagas.builder(store, store.outbox()).add(saga).json(json).rules(rules);
        others.forEach(builder::add);
        return builder.build();
    }

    /** Replaces the decisions of the engine, to prove that a test notices wrong ones. */
    public SagaScenario<D> with(SagaRules wrong) {
        rules = wrong;
        engine = newEngine();
        return this;
    }

    /** Adds another definition to the engine. */
    public SagaScenario<D> with(Saga<?> other) {
        others.add(other);
        engine = newEngine();
        return this;
    }

    public SagaScenario<D> with(SagaJson mapper) {
        json = mapper;
        engine = newEngine();
        return this;
    }

    /** Handles events of this type, such as commands, with a participant in the same memory: see {@link #deliver}. */
    public SagaScenario<D> participant(String eventType, Handler<MemoryTransaction> handler) {
        participants.put(eventType, handler);
        return this;
    }

    /** The store, which also offers an outbox and the commands of participants. */
    public MemorySagaStore store() {
        return store;
    }

    public Sagas<MemoryTransaction> engine() {
        return engine;
    }

    CrashPoints crashPoints() {
        return crashPoints;
    }

    /** A new process takes over: another engine on the same rows. */
    public SagaScenario<D> restart() {
        crashPoints.restarted();
        engine = newEngine();
        return this;
    }

    /** Starts the saga and runs everything that needs no reply. */
    public SagaScenario<D> start() {
        engine.start(saga, key, data);
        return run();
    }

    /** Runs everything that is due now. */
    public SagaScenario<D> run() {
        for (int turn = 0; turn < MOST_TURNS; turn++) {
            if (engine.runOnce() == 0) {
                return this;
            }
        }
        throw failure("The saga is due again and again, without end.");
    }

    /** Lets time pass and runs what becomes due, in its order. */
    public SagaScenario<D> after(Duration time) {
        Instant end = store.now().plus(time);
        while (true) {
            Optional<Instant> wake = store.nextWake().filter(at -> !at.isAfter(end));
            if (wake.isEmpty()) {
                store.advance(Duration.between(store.now(), end));
                return run();
            }
            if (wake.get().isAfter(store.now())) {
                store.advance(Duration.between(store.now(), wake.get()));
            } else {
                store.advance(Duration.ofMillis(1)); // an engine rests after an unexpected failure
            }
            run();
        }
    }

    /** Expects that the next event in the outbox has this type, and makes it the command that {@link #reply} answers. */
    public SagaScenario<D> expectCommand(String eventType) {
        List<Event> events = store.events();
        if (seen >= events.size() || !events.get(seen).type().equals(eventType)) {
            throw failure("Expected an event " + eventType + " next in the outbox, but found "
                    + (seen >= events.size() ? "none" : events.get(seen).type()) + ".");
        }
        lastCommand = events.get(seen);
        seen++;
        return this;
    }

    /** Expects these events next in the outbox, in any order, and nothing about which one {@link #reply} answers. */
    public SagaScenario<D> expectCommands(String... eventTypes) {
        List<String> expected = new ArrayList<>(List.of(eventTypes));
        List<Event> events = store.events();
        while (!expected.isEmpty()) {
            if (seen >= events.size() || !expected.remove(events.get(seen).type())) {
                throw failure("Expected events " + expected + " next in the outbox.");
            }
            seen++;
        }
        return this;
    }

    public SagaScenario<D> expectNoCommand() {
        List<Event> events = store.events();
        if (seen < events.size()) {
            throw failure("Expected no further event in the outbox, but found "
                    + events.get(seen).type() + ".");
        }
        return this;
    }

    /** The last command that {@link #expectCommand} has found. */
    public Event command() {
        return lastCommand;
    }

    /** Answers the last expected command. */
    public SagaScenario<D> reply(String eventType, String payload) {
        return reply(lastCommand, eventType, payload);
    }

    /** Answers a command, which may be an earlier one. */
    public SagaScenario<D> reply(Event command, String eventType, String payload) {
        return event(answer(command, eventType, payload));
    }

    /** Returns a reply to the command, with the headers that a participant copies. */
    public static Event answer(Event command, String eventType, String payload) {
        Event.Builder event = Event.builder(eventType, "Test", command.key()).payload(payload);
        command.headers().forEach((name, value) -> {
            if (name.startsWith("saga-")) {
                event.header(name, value);
            }
        });
        return event.build();
    }

    /** Answers the newest command of this type. */
    public SagaScenario<D> replyTo(String commandType, String eventType, String payload) {
        Event command = store.events().stream()
                .filter(event -> event.type().equals(commandType))
                .reduce((first, second) -> second)
                .orElseThrow(() -> failure("There is no command " + commandType + " in the outbox."));
        return reply(command, eventType, payload);
    }

    /** Delivers an event to the saga, as the inbox would: once for each id. */
    public SagaScenario<D> event(Event event) {
        if (!applied.contains(event.id())) {
            store.handle(engine.replies(), event);
            applied.add(event.id());
        }
        return run();
    }

    /** Delivers every event of the outbox to its participant and to the saga, until nothing is left to do. */
    public SagaScenario<D> deliver() {
        for (int turn = 0; turn < MOST_TURNS; turn++) {
            run();
            List<Event> open = undelivered();
            if (open.isEmpty()) {
                return this;
            }
            for (Event event : open) {
                handle(event);
            }
        }
        throw failure("Events cause each other without end.");
    }

    /** Returns the events of the outbox that were not delivered yet. */
    List<Event> undelivered() {
        return store.events().stream()
                .filter(event -> !applied.contains(event.id()))
                .toList();
    }

    /** Delivers an event once more, as a broker does after a lost acknowledgement, to a consumer that has forgotten it. */
    void redeliver(Event event) {
        applied.remove(event.id());
        handle(event);
    }

    /**
     * Starts the saga, delivers all events and lets time pass until nothing is left to do. After a crash, another process continues.
     *
     * @return the place of the last crash
     */
    String runToEnd() {
        String place = "none";
        boolean started = false;
        for (int turn = 0; turn < MOST_TURNS; turn++) {
            try {
                if (!started) {
                    start();
                    started = true;
                }
                deliver();
                Optional<Instant> wake = store.nextWake();
                if (wake.isEmpty() || stored().ended()) {
                    return place;
                }
                after(Duration.between(store.now(), wake.get()).plusMillis(1));
            } catch (CrashPoints.Crash crash) {
                place = String.valueOf(crash.getMessage());
                restart();
            }
        }
        throw failure("The scenario does not end.");
    }

    /** Delivers this many events, in the order of the outbox. */
    public SagaScenario<D> deliver(int events) {
        for (int i = 0; i < events; i++) {
            undelivered().stream().findFirst().ifPresent(this::handle);
            run();
        }
        return this;
    }

    void handle(Event event) {
        Handler<MemoryTransaction> participant = participants.get(event.type());
        if (participant != null) {
            store.handle(participant, event);
        }
        if (engine.eventTypes().contains(event.type())) {
            event(event);
        }
        applied.add(event.id());
    }

    /** Returns all commands of this type so far, one for each attempt. */
    public List<Event> commands(String eventType) {
        return store.events().stream()
                .filter(event -> event.type().equals(eventType))
                .toList();
    }

    /** Returns the picture of the execution, as {@code waybill sagas show} draws it. */
    public String picture() {
        return SagaPicture.execution(SagaOutline.of(saga), stored());
    }

    /** Requests an action, as an operator would, and applies it. */
    public SagaScenario<D> operator(SagaSignal.Kind action, @Nullable String step) {
        return operator(action, step, null);
    }

    /** @param newData JSON, or null to keep the data */
    public SagaScenario<D> operator(SagaSignal.Kind action, @Nullable String step, @Nullable String newData) {
        engine.operations().request(stored().id(), action, step, newData, "tester", "test");
        return run();
    }

    public SagaScenario<D> expectStatus(SagaStatus expected) {
        if (stored().status() != expected) {
            throw failure("Expected the state " + expected + ", but it is " + stored().status() + ".");
        }
        return this;
    }

    public SagaScenario<D> expectStep(String step, StepStatus expected) {
        StepStatus found = step(step).status();
        if (found != expected) {
            throw failure("Expected step " + step + " to be " + expected + ", but it is " + found + ".");
        }
        return this;
    }

    public SagaScenario<D> expectStuck(String... steps) {
        if (!stored().stuck().equals(String.join(",", steps))) {
            throw failure("Expected stuck steps " + List.of(steps) + ", but they are '" + stored().stuck() + "'.");
        }
        return this;
    }

    /** Passes the data of the saga to the consumer. */
    public SagaScenario<D> expectData(Consumer<D> expectation) {
        expectation.accept(json.read(stored().data(), saga.dataType()));
        return this;
    }

    /** Passes the scenario's result and history to the consumer. */
    public SagaScenario<D> verify(BiConsumer<SagaResult<D>, List<HistoryEntry>> expectation) {
        expectation.accept(engine.result(saga, key).orElseThrow(), history());
        return this;
    }

    /** Returns the steps that were undone, in the order in which their compensations began. */
    public List<String> compensated() {
        return history().stream()
                .filter(entry -> entry.kind() == HistoryKind.COMPENSATION_STARTED && entry.attempt() == 1)
                .map(entry -> String.valueOf(entry.step()))
                .toList();
    }

    public List<HistoryEntry> history() {
        return store.view().history(stored().id());
    }

    public SagaRecord stored() {
        return store.view().find(saga.name(), key).orElseThrow(() -> new AssertionError("The saga was not started."));
    }

    private StepState step(String name) {
        return StateJson.steps(stored().state()).stream()
                .filter(step -> step.name().equals(name))
                .findFirst()
                .orElseThrow(() -> failure("There is no step " + name + "."));
    }

    private AssertionError failure(String what) {
        Map<String, String> steps = new LinkedHashMap<>();
        store.view()
                .find(saga.name(), key)
                .ifPresent(found -> StateJson.steps(found.state())
                        .forEach(step -> steps.put(step.name(), step.status() + (step.stuck() ? " (stuck)" : ""))));
        String events = store.events().stream().map(Event::type).collect(Collectors.joining(", "));
        return new AssertionError(what + "\nSteps: " + steps + "\nOutbox: " + events + " (the first " + seen
                + " were expected)\nHistory: "
                + (store.view().find(saga.name(), key).isPresent() ? history() : "none"));
    }

    /** Returns the id of the command that an event carries; empty if it carries none. */
    public static Optional<UUID> commandId(Event event) {
        return Optional.ofNullable(event.headers().get(SagaHeaders.COMMAND_ID)).map(UUID::fromString);
    }
}
