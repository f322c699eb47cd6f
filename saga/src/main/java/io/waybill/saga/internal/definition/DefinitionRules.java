package io.waybill.saga.internal.definition;

import io.waybill.WaybillException;
import io.waybill.internal.Spelling;
import io.waybill.saga.SagaStep;
import io.waybill.saga.StepAction;
import io.waybill.saga.StepRole;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks a definition and puts its steps in order. Every message names the saga, the step and the remedy. */
public final class DefinitionRules<D> {
    private static final int LONGEST_NAME = 100;

    private final String saga;
    private final Map<String, SagaStep<D>> steps = new LinkedHashMap<>();

    private DefinitionRules(String saga) {
        this.saga = saga;
    }

    /** Returns the steps so that each follows those that it depends on, otherwise in the order of their definition. */
    public static <D> List<SagaStep<D>> inOrder(String saga, boolean atomic, List<SagaStep<D>> steps) {
        DefinitionRules<D> rules = new DefinitionRules<>(saga);
        rules.names(steps);
        rules.dependencies();
        List<SagaStep<D>> ordered = rules.ordered();
        rules.connected();
        if (atomic) {
            rules.atomic();
        } else {
            rules.roles();
        }
        rules.replies();
        rules.awaitedEvents();
        return ordered;
    }

    private void names(List<SagaStep<D>> all) {
        name("saga", saga);
        if (all.isEmpty()) {
            throw new WaybillException("Saga " + saga + " has no steps. Add one with step(name).");
        }
        for (SagaStep<D> step : all) {
            name("step", step.name());
            if (steps.put(step.name(), step) != null) {
                throw problem(step.name(), "is defined twice. Give each step a name of its own.");
            }
        }
    }

    private static void name(String what, String name) {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*") || name.length() > LONGEST_NAME) {
            throw new WaybillException("'" + name + "' cannot be the name of a " + what
                    + ". Use 1 to 100 letters, digits, '-', '_' and '.', beginning with a letter or digit.");
        }
    }

    private void dependencies() {
        for (SagaStep<D> step : steps.values()) {
            for (String before : step.after()) {
                if (before.equals(step.name())) {
                    throw problem(step.name(), "is after itself.");
                }
                if (!steps.containsKey(before)) {
                    throw problem(
                            step.name(),
                            "is after '" + before + "', which is no step of this saga."
                                    + Spelling.closest(before, steps.keySet())
                                            .map(known -> " Did you mean '" + known + "'?")
                                            .orElse(""));
                }
            }
        }
    }

    private List<SagaStep<D>> ordered() {
        List<SagaStep<D>> ordered = new ArrayList<>();
        Set<String> placed = new LinkedHashSet<>();
        while (placed.size() < steps.size()) {
            int before = placed.size();
            for (SagaStep<D> step : steps.values()) {
                if (!placed.contains(step.name()) && placed.containsAll(step.after())) {
                    placed.add(step.name());
                    ordered.add(step);
                }
            }
            if (placed.size() == before) {
                Set<String> cycle = new LinkedHashSet<>(steps.keySet());
                cycle.removeAll(placed);
                throw new WaybillException("The steps " + String.join(", ", cycle) + " of saga " + saga
                        + " wait for each other in a cycle. Remove one of their after(…).");
            }
        }
        return ordered;
    }

    private void connected() {
        Set<String> reached = new HashSet<>();
        Deque<String> open = new ArrayDeque<>();
        String first = steps.keySet().iterator().next();
        open.add(first);
        while (!open.isEmpty()) {
            String next = open.remove();
            if (reached.add(next)) {
                for (SagaStep<D> step : steps.values()) {
                    if (step.name().equals(next)) {
                        open.addAll(step.after());
                    } else if (step.after().contains(next)) {
                        open.add(step.name());
                    }
                }
            }
        }
        for (String step : steps.keySet()) {
            // Several steps may begin the saga, but each must lead to a common step or come from one.
            if (!reached.contains(step) && !sameLevelOnly()) {
                throw problem(
                        step,
                        "is not connected with step " + first
                                + ". Connect them with after(…), or make two sagas of them.");
            }
        }
    }

    /** A saga whose steps all begin at once has no graph that could be torn. */
    private boolean sameLevelOnly() {
        return steps.values().stream().allMatch(step -> step.after().isEmpty());
    }

    private void atomic() {
        for (SagaStep<D> step : steps.values()) {
            if (!(step.action() instanceof StepAction.Local)) {
                throw problem(
                        step.name(),
                        "is of kind " + step.action().kind()
                                + ". An atomic saga has only local steps: remove atomic(), or make" + " it local.");
            }
        }
    }

    private void roles() {
        SagaStep<D> pivot = null;
        for (SagaStep<D> step : steps.values()) {
            if (step.role() == StepRole.PIVOT) {
                if (pivot != null) {
                    throw problem(
                            step.name(),
                            "is a pivot, and so is step " + pivot.name() + ". A saga has one point of no return.");
                }
                pivot = step;
            }
            boolean forwardOnly = step.role() == StepRole.RETRIABLE;
            if (step.alternative() != null && !forwardOnly) {
                throw problem(step.name(), "has an alternative but is not retriable. Call retriable(), or remove it.");
            }
        }
        Set<String> beforePivot = pivot == null ? Set.of() : ancestors(pivot);
        for (SagaStep<D> step : steps.values()) {
            boolean afterPivot = pivot != null && ancestors(step).contains(pivot.name());
            switch (step.role()) {
                case RETRIABLE -> {
                    if (!afterPivot) {
                        throw problem(
                                step.name(),
                                pivot == null
                                        ? "is retriable, but the saga has no pivot. Mark the point of no return with pivot()."
                                        : "is retriable, but does not come after the pivot " + pivot.name() + ".");
                    }
                }
                case COMPENSATABLE -> {
                    if (afterPivot) {
                        throw problem(
                                step.name(),
                                "can be compensated, but comes after the pivot " + (pivot == null ? "" : pivot.name())
                                        + ", after which nothing is undone. Make it retriable().");
                    }
                    if (pivot != null && !beforePivot.contains(step.name())) {
                        throw problem(
                                step.name(),
                                "runs beside the pivot " + pivot.name()
                                        + ": it could fail when the saga cannot be undone any"
                                        + " more. Let the pivot be after(\"" + step.name() + "\").");
                    }
                }
                case PIVOT, READ_ONLY -> {}
            }
        }
    }

    private Set<String> ancestors(SagaStep<D> step) {
        Set<String> found = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(step.after());
        while (!open.isEmpty()) {
            String next = open.remove();
            SagaStep<D> found1 = steps.get(next);
            if (found1 != null && found.add(next)) {
                open.addAll(found1.after());
            }
        }
        return found;
    }

    private void replies() {
        for (SagaStep<D> step : steps.values()) {
            StepAction<D> action = step.action();
            if (action instanceof StepAction.AwaitEvent<D> && action.replies().isEmpty()) {
                throw problem(step.name(), "awaits no event. Name its type with onReply(type).");
            }
            if (action instanceof StepAction.Send<D>
                    && action.replies().isEmpty()
                    && !action.refusals().isEmpty()) {
                throw problem(
                        step.name(),
                        "can be refused but cannot succeed. Name the type of a successful reply with onReply(type).");
            }
            boolean waits = !action.replies().isEmpty() || action instanceof StepAction.Child<?, ?>;
            if (step.timeout() != null && !waits && !(action instanceof StepAction.External<D>)) {
                throw problem(step.name(), "has a timeout but waits for nothing. Remove the timeout.");
            }
        }
    }

    /** A command's reply is told apart by the id of the command, an awaited event only by its type. */
    private void awaitedEvents() {
        for (SagaStep<D> step : steps.values()) {
            for (SagaStep<D> other : steps.values()) {
                boolean ordered = ancestors(step).contains(other.name())
                        || ancestors(other).contains(step.name());
                if (!step.name().equals(other.name())
                        && step.action() instanceof StepAction.AwaitEvent<D>
                        && !ordered) {
                    for (String type : types(step)) {
                        if (types(other).contains(type)) {
                            throw problem(
                                    step.name(),
                                    "awaits " + type + ", and so does step " + other.name()
                                            + ", which may wait at the same time. Let one of them be after(…) the"
                                            + " other, or give them events of different types.");
                        }
                    }
                }
            }
        }
    }

    private Set<String> types(SagaStep<D> step) {
        Set<String> types = new HashSet<>(step.action().replies().keySet());
        types.addAll(step.action().refusals());
        return types;
    }

    private WaybillException problem(String step, String what) {
        return new WaybillException("Step " + step + " of saga " + saga + " " + what);
    }
}
