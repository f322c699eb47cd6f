package io.waybill.saga.admin;

import static java.util.Objects.requireNonNull;

import io.waybill.WaybillException;
import io.waybill.internal.Spelling;
import io.waybill.saga.SagaJson;
import io.waybill.saga.internal.execution.OperatorEntry;
import io.waybill.saga.picture.SagaOutline;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.SagaRecord;
import io.waybill.saga.store.SagaSignal;
import io.waybill.saga.store.SagaSignal.Kind;
import io.waybill.saga.store.SagaStore;
import io.waybill.saga.store.SagaStore.Definition;
import io.waybill.store.StoreException;
import io.waybill.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actions of operators, for the command line and for other programs: finds sagas, checks requests before it posts them, and
 * returns their outcomes.
 */
public final class SagaActions {
    private static final Logger LOG = LoggerFactory.getLogger(SagaActions.class);
    private static final int LONGEST_ACTOR = 255;
    private static final int LONGEST_REASON = 4_000;
    private static final int SIMILAR_KEYS = 200;
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final SagaView view;
    private final SagaOperations operations;

    private SagaActions(SagaView view, SagaOperations operations) {
        this.view = view;
        this.operations = operations;
    }

    public static SagaActions on(SagaStore<?> store) {
        requireNonNull(store, "store");
        return new SagaActions(store.view(), store.operations());
    }

    public SagaView view() {
        return view;
    }

    /**
     * Returns a saga.
     *
     * @param reference its id, or {@code NAME/KEY}: the name of its definition and its business key
     * @throws UnknownSagaException if there is no such saga; the message suggests a similar one
     */
    public SagaRecord find(String reference) {
        Optional<UUID> id = id(reference);
        if (id.isPresent()) {
            return view.find(id.get())
                    .orElseThrow(() -> new UnknownSagaException(
                            "There is no saga " + id.get() + ". It may have been removed after its retention time."));
        }
        int slash = reference.indexOf('/');
        if (slash < 1 || slash == reference.length() - 1) {
            throw new WaybillException("'" + reference + "' names no saga. Use its id, or NAME/KEY: the name of its"
                    + " definition and its business key, such as place-order/order-42.");
        }
        String name = reference.substring(0, slash);
        String key = reference.substring(slash + 1);
        return view.find(name, key).orElseThrow(() -> new UnknownSagaException(unknown(name, key)));
    }

    private static Optional<UUID> id(String reference) {
        try {
            return Optional.of(UUID.fromString(reference));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private String unknown(String name, String key) {
        List<String> names = names();
        if (!names.contains(name)) {
            return "There is no saga named " + name + "." + suggestion(name, names);
        }
        String beginning = key.substring(0, (key.length() + 1) / 2);
        List<String> keys = view.list(SagaFilter.all(SIMILAR_KEYS).name(name).keyPrefix(beginning)).stream()
                .map(SagaRecord::businessKey)
                .toList();
        return "There is no saga " + name + " with key " + key + ". It may have been removed after its retention time."
                + suggestion(key, keys);
    }

    private List<String> names() {
        return view.definitions().stream().map(Definition::name).distinct().toList();
    }

    private static String suggestion(String wrong, Collection<String> known) {
        return Spelling.closest(wrong, known)
                .map(right -> " Did you mean '" + right + "'?")
                .orElse("");
    }

    /**
     * Returns a stored definition.
     *
     * @param version null for the newest one
     * @throws UnknownSagaException if no engine has stored it; the message suggests a similar one
     */
    public SagaOutline outline(String name, @Nullable Integer version) {
        List<Integer> versions = view.definitions().stream()
                .filter(definition -> definition.name().equals(name))
                .map(Definition::version)
                .sorted()
                .toList();
        if (versions.isEmpty()) {
            throw new UnknownSagaException("There is no definition " + name + "." + suggestion(name, names())
                    + " An engine stores its definitions when it starts.");
        }
        int wanted = version == null ? versions.get(versions.size() - 1) : version;
        return view.outline(name, wanted)
                .orElseThrow(() ->
                        new UnknownSagaException("There is no version " + wanted + " of " + name + ". Stored versions: "
                                + versions.stream().map(String::valueOf).collect(Collectors.joining(", ")) + "."));
    }

    /**
     * Requests an action, after checks that need no engine.
     *
     * @param step the step that the action is about; null for {@link Kind#CANCEL}, and if only one step waits for a person
     * @param data for {@link Kind#RESOLVE}: the new data of the saga, as JSON; null to keep it
     * @throws UnknownSagaException if the saga has no such step; the message suggests a similar one
     * @throws WaybillException if the saga has ended, the step does not wait for a person, or a text is empty or too long
     */
    public SagaRequest request(
            SagaRecord saga, Kind action, @Nullable String step, @Nullable String data, String actor, String reason) {
        requireText("actor", actor, LONGEST_ACTOR);
        requireText("reason", reason, LONGEST_REASON);
        if (saga.ended()) {
            throw new WaybillException("Saga " + name(saga) + " has ended as " + saga.status() + ": nothing to "
                    + action.name().toLowerCase(Locale.ROOT) + ".");
        }
        String about = action == Kind.CANCEL ? null : step(saga, step);
        if (data != null) {
            SagaJson.DEFAULT.tree(data);
        }
        long id = operations.request(saga.id(), action, about, data, actor, reason);
        return new SagaRequest(saga.id(), id, action, about);
    }

    private static String name(SagaRecord saga) {
        return saga.name() + "/" + saga.businessKey();
    }

    private static void requireText(String what, String text, int longest) {
        if (text.isBlank() || text.length() > longest) {
            throw new WaybillException("An action needs a" + (what.equals("actor") ? "n " : " ") + what + " of 1 to "
                    + longest + " characters, not " + text.strip().length() + ". It is kept in the audit table.");
        }
    }

    private static String step(SagaRecord saga, @Nullable String wanted) {
        List<StepDetails> steps = StepDetails.of(saga);
        List<String> stuck =
                steps.stream().filter(StepDetails::stuck).map(StepDetails::name).toList();
        if (wanted == null) {
            if (stuck.size() == 1) {
                return stuck.get(0);
            }
            throw new WaybillException(
                    stuck.isEmpty()
                            ? "No step of saga " + name(saga) + " waits for a person; its state is " + saga.status()
                                    + "."
                            : "Several steps of saga " + name(saga) + " wait for a person. Name one of them: "
                                    + String.join(", ", stuck) + ".");
        }
        StepDetails found = steps.stream()
                .filter(step -> step.name().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new UnknownSagaException("Saga " + name(saga) + " has no step " + wanted + "."
                        + suggestion(
                                wanted, steps.stream().map(StepDetails::name).toList())));
        if (!found.stuck()) {
            throw new WaybillException("Step " + wanted + " of saga " + name(saga) + " is " + found.status()
                    + " and does not wait for a person."
                    + (stuck.isEmpty() ? "" : " Steps that wait: " + String.join(", ", stuck) + "."));
        }
        return wanted;
    }

    /** Returns the steps that wait for a person, of at most {@link SagaFilter#limit} matching sagas. */
    public List<StuckStep> stuckSteps(SagaFilter filter) {
        List<StuckStep> steps = new ArrayList<>();
        for (SagaRecord saga : view.list(filter.stuckOnly(true))) {
            for (String step : saga.stuck().split(",", -1)) {
                if (filter.stuckStep() == null || filter.stuckStep().equals(step)) {
                    steps.add(new StuckStep(saga.id(), saga.name(), saga.businessKey(), step));
                }
            }
        }
        return steps;
    }

    /** Requests a retry of each step, with an audit row each. Leaves out steps of sagas that have ended or were removed meanwhile. */
    public List<SagaRequest> retry(List<StuckStep> steps, String actor, String reason) {
        requireText("actor", actor, LONGEST_ACTOR);
        requireText("reason", reason, LONGEST_REASON);
        List<SagaRequest> requests = new ArrayList<>();
        for (StuckStep stuck : steps) {
            try {
                long id = operations.request(stuck.saga(), Kind.RETRY, stuck.step(), null, actor, reason);
                requests.add(new SagaRequest(stuck.saga(), id, Kind.RETRY, stuck.step()));
            } catch (StoreException outage) {
                throw outage;
            } catch (WaybillException ended) {
                LOG.debug("Left out step {}: {}", stuck.step(), ended.getMessage());
            }
        }
        return requests;
    }

    /** Returns the outcome of a request so far. */
    public RequestOutcome outcome(SagaRequest request) {
        // First the signals: an engine removes the signal and writes the history in one transaction.
        if (view.signals(request.saga()).stream().anyMatch(signal -> signal.id() == request.id())) {
            return new RequestOutcome(request, RequestOutcome.State.PENDING, "");
        }
        List<HistoryEntry> history = view.history(request.saga());
        for (int i = history.size() - 1; i >= 0; i--) {
            Optional<OperatorEntry> applied =
                    OperatorEntry.of(history.get(i)).filter(entry -> entry.request() == request.id());
            if (applied.isPresent()) {
                return applied.get().done()
                        ? new RequestOutcome(request, RequestOutcome.State.DONE, "")
                        : new RequestOutcome(
                                request,
                                RequestOutcome.State.REFUSED,
                                applied.get().result().replaceFirst("^refused: ", ""));
            }
        }
        return new RequestOutcome(
                request, RequestOutcome.State.REFUSED, "the saga was removed, or its history is too long");
    }

    /**
     * Waits until engines have applied the requests, or the limit is over.
     *
     * @param progress called with the number of pending requests after each look at them
     * @return the outcomes, in the order of the requests
     */
    public List<RequestOutcome> await(List<SagaRequest> requests, Duration limit, Ticker ticker, IntConsumer progress) {
        Map<SagaRequest, RequestOutcome> outcomes = new LinkedHashMap<>();
        List<SagaRequest> open = new ArrayList<>(requests);
        long end = ticker.nanos() + limit.toNanos();
        while (true) {
            for (SagaRequest request : List.copyOf(open)) {
                RequestOutcome outcome = outcome(request);
                outcomes.put(request, outcome);
                if (!outcome.pending()) {
                    open.remove(request);
                }
            }
            progress.accept(open.size());
            if (open.isEmpty() || ticker.nanos() - end > 0 || !pause(ticker)) {
                return requests.stream()
                        .map(request -> requireNonNull(outcomes.get(request), "outcome"))
                        .toList();
            }
        }
    }

    /** Returns false if the thread was interrupted. */
    private static boolean pause(Ticker ticker) {
        try {
            return !ticker.acquire(new Semaphore(0), PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns what operators have requested of a saga and no engine has applied yet. */
    public List<SagaSignal> pending(UUID saga) {
        return view.signals(saga).stream()
                .filter(signal -> signal.kind().isOperators())
                .toList();
    }
}
