package io.waybill.saga.internal.execution;

import io.waybill.Event;
import io.waybill.Headers;
import io.waybill.WaybillException;
import io.waybill.internal.StorableText;
import io.waybill.saga.Command;
import io.waybill.saga.Saga;
import io.waybill.saga.SagaHeaders;
import io.waybill.saga.SagaJson;
import io.waybill.saga.SagaListener;
import io.waybill.saga.SagaStatus;
import io.waybill.saga.SagaStep;
import io.waybill.saga.StepStatus;
import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The working copy of a stored saga during one transition. */
final class Execution<D> {
    /** One megabyte, and some room for the escapes of JSON. */
    static final int LONGEST_DATA = 1 << 21;

    private static final int LONGEST_DETAIL = 1_000;

    /** Engines that write one after the other may see times in a slightly different order. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

    final Saga<D> saga;
    final SagaJson json;
    final SagaListener listener;
    final Instant now;
    final Effects<D> effects = new Effects<>();

    private final SagaRecord stored;
    private final Map<String, StepState> steps = new LinkedHashMap<>();
    private @Nullable D data;

    /** The changed data as JSON; null while it is unchanged. */
    private @Nullable String changed;

    SagaStatus status;

    @Nullable
    Instant endedAt;

    /** The first failure, because of which the saga is undone. */
    @Nullable
    String failure;

    /** The step of that failure; null if the saga was cancelled. */
    @Nullable
    String failedStep;

    /** After this time, steps in progress beside the failed one are in doubt. */
    @Nullable
    Instant graceEndsAt;

    @Nullable
    Instant deadlineAt;

    Execution(Saga<D> saga, SagaJson json, SagaListener listener, SagaRecord stored, Instant now) {
        this.saga = saga;
        this.json = json;
        this.listener = listener;
        this.stored = stored;
        this.now = now.truncatedTo(ChronoUnit.MILLIS);
        this.status = stored.status();
        this.endedAt = stored.endedAt();
        ObjectNode state = StateJson.parse(stored.state());
        this.failure = state.has("failure") ? state.path("failure").asString() : null;
        this.failedStep = state.has("failedStep") ? state.path("failedStep").asString() : null;
        this.graceEndsAt = StepState.time(state, "graceEndsAt");
        this.deadlineAt = StepState.time(state, "deadlineAt");
        for (SagaStep<D> step : saga.steps()) {
            steps.put(
                    step.name(),
                    state.path("steps").get(step.name()) instanceof ObjectNode found
                            ? StepState.read(step.name(), found)
                            : new StepState(step.name()));
        }
        followClock();
    }

    /**
     * Moves the timers back if the clock of the database was set back since they were written: the saga was then written in the
     * future. A time-out would otherwise last as much longer as the clock was set back.
     */
    private void followClock() {
        Duration ahead = Duration.between(now, stored.updatedAt());
        if (ahead.compareTo(CLOCK_TOLERANCE) > 0) {
            graceEndsAt = StepState.earlier(graceEndsAt, ahead);
            deadlineAt = StepState.earlier(deadlineAt, ahead);
            steps.values().forEach(step -> step.moveBack(ahead));
        }
    }

    UUID id() {
        return stored.id();
    }

    String businessKey() {
        return stored.businessKey();
    }

    /** Returns a step that the stored saga has begun and that the definition does not have. */
    Optional<String> lostStep() {
        return StateJson.steps(stored.state()).stream()
                .filter(step -> step.status != StepStatus.PENDING && !steps.containsKey(step.name))
                .map(StepState::name)
                .findFirst();
    }

    @Nullable
    UUID parentId() {
        return stored.parentId();
    }

    @Nullable
    String parentStep() {
        return stored.parentStep();
    }

    Map<String, String> headers() {
        return stored.headers();
    }

    D data() {
        D known = data;
        if (known == null) {
            known = json.read(stored.data(), saga.dataType());
            data = known;
        }
        return known;
    }

    void data(D changed) {
        if (changed == null) {
            throw new WaybillException(
                    "A step of " + saga + " returned null. Return the data, even if it is unchanged.");
        }
        // A mutable object may have been changed in place, so the same object can have new content. It is written at
        // once, so that
        // data which cannot be stored fails the step that made it.
        String text = json.write(changed);
        requireFits(text);
        data = changed;
        this.changed = text;
    }

    /** The data as JSON. */
    String text() {
        return changed == null ? stored.data() : changed;
    }

    /**
     * Returns the data with the changes that a call has made to a copy. Steps beside the call may have changed the data meanwhile;
     * the call replaces only the fields that it has changed itself.
     *
     * @param before the data that the call got, as JSON
     */
    D merged(String before, D result) {
        String merged = StateJson.merged(before, json.write(result), text());
        return merged == null ? result : json.read(merged, saga.dataType());
    }

    private void requireFits(String text) {
        if (text.length() > LONGEST_DATA) {
            throw new WaybillException("The data of " + saga + " has " + text.length() + " characters as JSON, at most "
                    + LONGEST_DATA + " are allowed. Store large content elsewhere and keep its key in the data.");
        }
    }

    boolean dataChanged() {
        return changed != null;
    }

    StepState state(String step) {
        StepState state = steps.get(step);
        if (state == null) {
            throw new WaybillException("There is no step '" + step + "' in " + saga + ".");
        }
        return state;
    }

    StepState state(SagaStep<D> step) {
        return state(step.name());
    }

    boolean pivotReached() {
        return saga.pivot().isPresent() && state(saga.pivot().get()).status == StepStatus.COMPLETED;
    }

    /** Whether the step comes after the pivot. */
    boolean isCommitted(SagaStep<D> step) {
        return saga.pivot()
                .map(pivot -> saga.allDependants(pivot.name()).contains(step.name()))
                .orElse(false);
    }

    void history(HistoryKind kind, @Nullable String step, int attempt, @Nullable String detail) {
        effects.history().add(new HistoryEntry(kind, step, attempt, detail == null ? null : cut(detail), now));
    }

    /** Texts of replies and exceptions can hold what no database stores. */
    private static String cut(String text) {
        return StorableText.sanitize(text.length() <= LONGEST_DETAIL ? text : text.substring(0, LONGEST_DETAIL) + "…");
    }

    /** Calls the listener after the commit. */
    void notice(Runnable call) {
        effects.notices().add(call);
    }

    /** Makes the events of a step or of a compensation. Appends nothing yet. */
    List<Event> made(List<Function<D, Event>> events) {
        List<Event> made = new ArrayList<>();
        for (Function<D, Event> event : events) {
            made.add(event.apply(data()).withDefaultHeaders(flow()));
        }
        return made;
    }

    /** Appends {@code {saga}.{what}}, if the definition publishes its lifecycle. */
    void lifecycle(String what, @Nullable String step, @Nullable String error) {
        if (saga.publishesLifecycle()) {
            ObjectNode payload = StateJson.object();
            payload.put("sagaId", id().toString());
            payload.put("businessKey", businessKey());
            payload.put("status", status.name());
            if (step != null) {
                payload.put("step", step);
            }
            if (error != null) {
                payload.put("error", cut(error));
            }
            effects.events()
                    .add(Event.builder(saga.name() + "." + what, "Saga", businessKey())
                            .payload(payload.toString())
                            .build()
                            .withDefaultHeaders(flow()));
        }
    }

    /** Appends one attempt of a command. */
    void send(Command command, StepState step, UUID commandId, int attempt, @Nullable UUID compensates) {
        Event.Builder event = Event.builder(command.type(), command.aggregateType(), command.key())
                .id(CommandIds.event(commandId, attempt))
                .payload(json.write(command.payload()))
                .headers(command.headers())
                .header(SagaHeaders.SAGA_ID, id().toString())
                .header(SagaHeaders.STEP, step.name)
                .header(SagaHeaders.COMMAND_ID, commandId.toString())
                .header(SagaHeaders.ATTEMPT, Integer.toString(attempt));
        if (command.topic() != null) {
            event.topic(command.topic());
        }
        if (compensates != null) {
            event.header(SagaHeaders.COMPENSATES, compensates.toString());
        }
        effects.events().add(event.build().withDefaultHeaders(flow()));
    }

    private Map<String, String> flow() {
        Map<String, String> flow = new LinkedHashMap<>(stored.headers());
        flow.putIfAbsent(Headers.CORRELATION_ID, id().toString());
        return flow;
    }

    void end(SagaStatus result) {
        status = result;
        endedAt = now;
        history(HistoryKind.ENDED, null, 0, result.name());
        String what = switch (result) {
            case COMPLETED -> "completed";
            case ROLLED_BACK -> "rolled-back";
            case PARTIALLY_COMMITTED -> "partially-committed";
            default -> "failed";
        };
        lifecycle(what, null, failure);
        notice(() ->
                listener.ended(id(), saga.name(), businessKey(), result, Duration.between(stored.createdAt(), now)));
    }

    SagaRecord toRecord() {
        String text = text();
        requireFits(text);
        Set<String> stuck = new LinkedHashSet<>();
        ObjectNode state = StateJson.object();
        if (failure != null) {
            state.put("failure", cut(failure));
        }
        if (failedStep != null) {
            state.put("failedStep", failedStep);
        }
        StepState.time(state, "graceEndsAt", graceEndsAt);
        StepState.time(state, "deadlineAt", deadlineAt);
        ObjectNode all = state.putObject("steps");
        String error = failure;
        for (StepState step : steps.values()) {
            step.write(all.putObject(step.name));
            if (step.stuck) {
                stuck.add(step.name);
                error = step.error == null ? error : step.error;
            }
        }
        return new SagaRecord(
                stored.id(),
                saga.name(),
                saga.version(),
                stored.businessKey(),
                status,
                text,
                state.toString(),
                stored.headers(),
                stored.parentId(),
                stored.parentStep(),
                error == null ? null : cut(error),
                String.join(",", stuck),
                wakeAt(),
                stored.createdAt(),
                now,
                endedAt,
                stored.revision() + 1);
    }

    @Nullable
    Instant wakeAt() {
        if (endedAt != null) {
            return null;
        }
        Instant wake = failure == null ? deadlineAt : graceEndsAt;
        for (StepState step : steps.values()) {
            if (!step.stuck) {
                wake = earlier(wake, step.nextAt());
            }
        }
        return wake;
    }

    private static @Nullable Instant earlier(@Nullable Instant first, @Nullable Instant second) {
        return first == null || (second != null && second.isBefore(first)) ? second : first;
    }
}
