package io.waybill.saga.picture;

import io.waybill.saga.StepRole;
import io.waybill.saga.internal.execution.StateJson;
import io.waybill.saga.internal.execution.StepState;
import io.waybill.saga.store.SagaRecord;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Draws definitions and executions as Mermaid flowcharts. */
public final class SagaPicture {
    /** Readable on light and dark backgrounds. */
    private static final Map<String, String> COLOURS = new LinkedHashMap<>();

    static {
        COLOURS.put("completed", "fill:#2e7d32,stroke:#1b5e20,color:#fff");
        COLOURS.put("executing", "fill:#1565c0,stroke:#0d47a1,color:#fff");
        COLOURS.put("failed", "fill:#c62828,stroke:#8e0000,color:#fff");
        COLOURS.put("indoubt", "fill:#ef6c00,stroke:#b53d00,color:#fff");
        COLOURS.put("compensated", "fill:#6a1b9a,stroke:#38006b,color:#fff");
        COLOURS.put("pending", "fill:#9e9e9e,stroke:#616161,color:#fff");
        COLOURS.put("stuck", "fill:#c62828,stroke:#ffd600,stroke-width:4px,color:#fff");
    }

    private SagaPicture() {}

    /** Draws the steps of a definition, with the pivot as a hexagon. */
    public static String definition(SagaOutline outline) {
        return draw(outline, null);
    }

    /** Draws an execution: each step with its state and attempts. */
    public static String execution(SagaOutline outline, SagaRecord saga) {
        return draw(outline, saga);
    }

    private static String draw(SagaOutline outline, @Nullable SagaRecord saga) {
        Map<String, StepState> states = new HashMap<>();
        if (saga != null) {
            StateJson.steps(saga.state()).forEach(state -> states.put(state.name(), state));
        }
        StringBuilder text = new StringBuilder("flowchart TD\n");
        text.append("    start([").append(quoted(title(outline, saga))).append("])\n");
        Map<String, String> ids = new LinkedHashMap<>();
        for (SagaOutline.Step step : outline.steps()) {
            ids.put(step.name(), "s" + ids.size());
        }
        for (SagaOutline.Step step : outline.steps()) {
            node(text, ids, step, states.get(step.name()));
        }
        for (SagaOutline.Step step : outline.steps()) {
            String id = ids.get(step.name());
            if (step.after().isEmpty()) {
                text.append("    start --> ").append(id).append('\n');
            }
            step.after()
                    .forEach(before -> text.append("    ")
                            .append(ids.get(before))
                            .append(" --> ")
                            .append(id)
                            .append('\n'));
            if (saga == null && step.compensation() != null) {
                text.append("    ")
                        .append(id)
                        .append(" -. ")
                        .append("undo")
                        .append(" .-> ")
                        .append(id)
                        .append("u([")
                        .append(quoted("undo " + step.name() + suffix(step)))
                        .append("])\n");
            }
        }
        if (saga != null) {
            COLOURS.forEach((name, style) -> text.append("    classDef ")
                    .append(name)
                    .append(' ')
                    .append(style)
                    .append('\n'));
        }
        return text.toString();
    }

    private static String suffix(SagaOutline.Step step) {
        return step.compensation() == null
                ? ""
                : "<br>" + step.compensation().name().toLowerCase(Locale.ROOT);
    }

    private static String title(SagaOutline outline, @Nullable SagaRecord saga) {
        return saga == null
                ? outline.name() + " version " + outline.version()
                : outline.name() + " " + saga.businessKey() + "<br>" + saga.status();
    }

    private static void node(
            StringBuilder text, Map<String, String> ids, SagaOutline.Step step, @Nullable StepState state) {
        String label = step.name() + "<br>" + (state == null ? described(step) : described(state));
        boolean pivot = step.role() == StepRole.PIVOT;
        text.append("    ")
                .append(ids.get(step.name()))
                .append(pivot ? "{{" : "[")
                .append(quoted(label))
                .append(pivot ? "}}" : "]");
        if (state != null) {
            text.append(":::").append(colour(state));
        }
        text.append('\n');
    }

    private static String described(SagaOutline.Step step) {
        String role = step.role().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return step.kind() + ", " + role;
    }

    private static String described(StepState state) {
        int attempts = state.undoAttempt() > 0 ? state.undoAttempt() : state.attempt();
        return state.status().name().replace('_', ' ')
                + (attempts > 1 ? ", attempt " + attempts : "")
                + (state.stuck() ? "<br>waits for a person" : "");
    }

    private static String colour(StepState state) {
        if (state.stuck()) {
            return "stuck";
        }
        return switch (state.status()) {
            case COMPLETED -> "completed";
            case EXECUTING, COMPENSATING -> "executing";
            case FAILED, TAINTED -> "failed";
            case IN_DOUBT -> "indoubt";
            case COMPENSATED -> "compensated";
            case PENDING, SKIPPED -> "pending";
        };
    }

    /** Business keys and names come from outside: no character may end the label or begin a tag. */
    private static String quoted(String label) {
        StringBuilder safe = new StringBuilder("\"");
        String[] lines = label.split("<br>", -1);
        for (int i = 0; i < lines.length; i++) {
            if (i > 0) {
                safe.append("<br>");
            }
            lines[i].codePoints().forEach(c -> {
                if (Character.isLetterOrDigit(c) || " .,:_-/()".indexOf(c) >= 0) {
                    safe.appendCodePoint(c);
                } else {
                    safe.append('#').append(c).append(';');
                }
            });
        }
        return safe.append('"').toString();
    }
}
