package io.waybill.saga.internal.execution;

import io.waybill.saga.SagaStep;
import io.waybill.saga.StepAction;
import io.waybill.saga.StepStatus;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The stored state of one step. */
public final class StepState {
    final String name;
    StepStatus status = StepStatus.PENDING;

    /** Counts all attempts of the step; a later one has a larger number. */
    int attempt;

    /** Counts all attempts of the compensation. */
    int undoAttempt;

    /** Failed attempts since the step, its alternative or its compensation began, or since an operator's retry. */
    int failures;

    /** When the current attempt times out, or a delay ends. */
    @Nullable
    Instant dueAt;

    /** When the next attempt begins. Null while an attempt is in progress. */
    @Nullable
    Instant retryAt;

    @Nullable
    Instant startedAt;

    @Nullable
    Instant endedAt;

    @Nullable
    String error;

    /** Whether an attempt was sent whose result is not known, so that the step may have had an effect. */
    boolean open;

    /** How often the participant has refused the step. A refused command is closed: a retry is another command. */
    int refusals;

    /** Whether the step waits for a person. */
    boolean stuck;

    /** Whether the alternative of the step is used. */
    boolean alternative;

    /** Whether the step was in doubt when its compensation began. */
    boolean wasInDoubt;

    /** Whether a person gave the step up. */
    boolean givenUp;

    /** The event that arrived before the step began. */
    @Nullable
    StoredEvent early;

    StepState(String name) {
        this.name = name;
    }

    /** Ends the current attempt and whatever the step waits for. */
    void settle(StepStatus result, Instant now) {
        status = result;
        dueAt = null;
        retryAt = null;
        stuck = false;
        endedAt = now;
    }

    public String name() {
        return name;
    }

    public StepStatus status() {
        return status;
    }

    public int attempt() {
        return attempt;
    }

    public int undoAttempt() {
        return undoAttempt;
    }

    public boolean stuck() {
        return stuck;
    }

    public @Nullable String error() {
        return error;
    }

    public @Nullable Instant startedAt() {
        return startedAt;
    }

    public @Nullable Instant endedAt() {
        return endedAt;
    }

    /** When the attempt times out or the next one begins. */
    public @Nullable Instant nextAt() {
        return retryAt != null ? retryAt : dueAt;
    }

    /** Moves all times into the past. */
    void moveBack(Duration time) {
        dueAt = earlier(dueAt, time);
        retryAt = earlier(retryAt, time);
        startedAt = earlier(startedAt, time);
        endedAt = earlier(endedAt, time);
    }

    static @Nullable Instant earlier(@Nullable Instant instant, Duration time) {
        return instant == null ? null : instant.minus(time);
    }

    void write(ObjectNode node) {
        node.put("status", status.name());
        number(node, "attempt", attempt);
        number(node, "undoAttempt", undoAttempt);
        number(node, "failures", failures);
        number(node, "refusals", refusals);
        flag(node, "open", open);
        time(node, "dueAt", dueAt);
        time(node, "retryAt", retryAt);
        time(node, "startedAt", startedAt);
        time(node, "endedAt", endedAt);
        if (error != null) {
            node.put("error", error);
        }
        flag(node, "stuck", stuck);
        flag(node, "alternative", alternative);
        flag(node, "wasInDoubt", wasInDoubt);
        flag(node, "givenUp", givenUp);
        if (early != null) {
            early.write(node.putObject("early"));
        }
    }

    static StepState read(String name, ObjectNode node) {
        StepState step = new StepState(name);
        step.status = StepStatus.valueOf(node.path("status").asString());
        step.attempt = node.path("attempt").asInt(0);
        step.undoAttempt = node.path("undoAttempt").asInt(0);
        step.failures = node.path("failures").asInt(0);
        step.refusals = node.path("refusals").asInt(0);
        step.open = node.path("open").asBoolean(false);
        step.dueAt = time(node, "dueAt");
        step.retryAt = time(node, "retryAt");
        step.startedAt = time(node, "startedAt");
        step.endedAt = time(node, "endedAt");
        step.error = node.has("error") ? node.path("error").asString() : null;
        step.stuck = node.path("stuck").asBoolean(false);
        step.alternative = node.path("alternative").asBoolean(false);
        step.wasInDoubt = node.path("wasInDoubt").asBoolean(false);
        step.givenUp = node.path("givenUp").asBoolean(false);
        step.early = node.get("early") instanceof ObjectNode event ? StoredEvent.read(event) : null;
        return step;
    }

    private static void number(ObjectNode node, String field, int value) {
        if (value != 0) {
            node.put(field, value);
        }
    }

    private static void flag(ObjectNode node, String field, boolean value) {
        if (value) {
            node.put(field, true);
        }
    }

    static void time(ObjectNode node, String field, @Nullable Instant value) {
        if (value != null) {
            node.put(field, value.toString());
        }
    }

    static @Nullable Instant time(ObjectNode node, String field) {
        return node.has(field) ? Instant.parse(node.path(field).asString()) : null;
    }

    /** Returns the action of the step now: its own, or its alternative. */
    <D> StepAction<D> action(SagaStep<D> step) {
        StepAction<D> other = step.alternative();
        return alternative && other != null ? other : step.action();
    }
}
