package io.waybill.saga;

import io.waybill.WaybillException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A step that waits for an event. */
abstract class RepliedStepBuilder<D, S extends RepliedStepBuilder<D, S>> extends StepBuilder<D> {
    final Map<String, StepAction.ReplyHandler<D>> replies = new LinkedHashMap<>();
    final Set<String> refusals = new LinkedHashSet<>();
    private final String stepName;

    RepliedStepBuilder(SagaBuilder<D> saga, String name, List<String> after) {
        super(saga, name, after);
        this.stepName = name;
    }

    abstract S self();

    /** The step has succeeded when an event of this type arrives. */
    public S onReply(String eventType) {
        return onReply(eventType, (data, reply) -> data);
    }

    /** The step has succeeded when an event of this type arrives; the handler returns the data for the next steps. */
    public S onReply(String eventType, StepAction.ReplyHandler<D> handler) {
        once(eventType);
        replies.put(eventType, handler);
        return self();
    }

    /** The step has failed without effect when an event of this type arrives. It is neither repeated nor compensated. */
    public S onRefusal(String eventType) {
        once(eventType);
        refusals.add(eventType);
        return self();
    }

    private void once(String eventType) {
        if (replies.containsKey(eventType) || refusals.contains(eventType)) {
            throw new WaybillException("Step " + stepName + " names the reply " + eventType + " twice.");
        }
    }
}
