package io.waybill.saga.internal.execution;

import io.waybill.saga.store.HistoryEntry;
import io.waybill.saga.store.HistoryKind;
import io.waybill.saga.store.SagaSignal;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The entry that the history has for an applied request of an operator. The result stands before the reason, which may be so long that
 * the entry is cut.
 *
 * @param request the id of the request
 * @param result {@link #DONE}, or {@code refused: } and why
 */
public record OperatorEntry(long request, SagaSignal.Kind action, String result) {
    static final String DONE = "done";

    private static final Pattern TEXT = Pattern.compile("(?s)Request (\\d{1,18}), ([A-Z_]+): (.*?)\\. By .*");

    static String text(SagaSignal signal, String result) {
        return "Request " + signal.id() + ", " + signal.kind() + ": " + result + ". By " + signal.actor() + ": "
                + signal.reason();
    }

    /** Returns empty for an entry of another kind. */
    public static Optional<OperatorEntry> of(HistoryEntry entry) {
        if (entry.kind() != HistoryKind.OPERATOR || entry.detail() == null) {
            return Optional.empty();
        }
        Matcher text = TEXT.matcher(entry.detail());
        return text.matches()
                ? Optional.of(new OperatorEntry(
                        Long.parseLong(text.group(1)), SagaSignal.Kind.valueOf(text.group(2)), text.group(3)))
                : Optional.empty();
    }

    public boolean done() {
        return result.equals(DONE);
    }
}
