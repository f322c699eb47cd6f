package io.waybill.examples.social.projection;

import com.mongodb.client.ClientSession;
import io.waybill.Event;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A consumer group and the read models that it keeps. Subclasses register a step for each type of event that changes them. */
abstract class Projection {
    private final String name;
    private final String group;
    private final List<String> topics;
    private final List<ReadModel> models;
    private final Map<String, Step> steps = new LinkedHashMap<>();

    Projection(String name, String group, List<String> topics, ReadModel... models) {
        this.name = name;
        this.group = group;
        this.topics = topics;
        this.models = List.of(models);
    }

    /** What an event changes, in the transaction of its mark. */
    @FunctionalInterface
    interface Step {
        void apply(ClientSession session, EventData event);
    }

    /** The name in commands and on the page. */
    final String name() {
        return name;
    }

    final String group() {
        return group;
    }

    final List<String> topics() {
        return topics;
    }

    final List<ReadModel> models() {
        return models;
    }

    final Set<String> eventTypes() {
        return steps.keySet();
    }

    final void on(String eventType, Step step) {
        steps.put(eventType, step);
    }

    final void apply(ClientSession session, Event event) {
        Step step = steps.get(event.type());
        if (step != null) {
            step.apply(session, EventData.of(event));
        }
    }

    /**
     * Whether the events of an entity must be applied in the order of their versions. Sums and counts need no order: it is enough that
     * each event is applied once.
     */
    boolean ordered() {
        return true;
    }

    /** The topic of the group's dead letters; empty if they stay in the inbox. */
    String deadLetterTopic() {
        return "sc.dlq." + group.substring("sc-".length());
    }

    /** Whether {@link #copy} can fill the read models. The source stores the last state of each entity, but not each event. */
    final boolean copiesSource() {
        return ordered();
    }

    /** Fills the empty read models from the source. */
    void copy(SourceCopy source) {}
}
