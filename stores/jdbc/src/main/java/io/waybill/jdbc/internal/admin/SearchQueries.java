package io.waybill.jdbc.internal.admin;

import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The queries of {@link JdbcSearch} for the tables of an engine.
 *
 * @param held events that wait for a retry or behind one
 * @param waiting events before their first attempt
 * @param settled published and discarded events, the newest first
 * @param ofKey the events of a key, which is the first parameter; empty if the engine has no index on keys
 * @param nextKey selects key, id and state of the first held event of the first key after a given key
 * @param parked selects a row for each parked event of a key; its parameter is the key, {@code %d} the limit
 * @param retrying selects id and last error of events that wait for a retry or are claimed again; {@code %d} is the limit
 * @param failed selects id and last error of dead letters, the newest first; {@code %d} is the limit
 */
public record SearchQueries(
        Section held,
        Section waiting,
        Section dead,
        Section settled,
        Optional<Section> ofKey,
        String nextKey,
        String parked,
        String retrying,
        String failed) {

    /** Returns the sections to search, in order: open events, dead letters, settled events. */
    List<Section> sections(EventFilter filter) {
        Set<Section> sections = new LinkedHashSet<>();
        if (filter.includes(EventState.PENDING)
                || filter.includes(EventState.CLAIMED)
                || filter.includes(EventState.PARKED)) {
            sections.add(held);
        }
        if (filter.includes(EventState.PENDING) || filter.includes(EventState.CLAIMED)) {
            sections.add(waiting);
        }
        if (filter.includes(EventState.DEAD_LETTER)) {
            sections.add(dead);
        }
        if (filter.includes(EventState.PUBLISHED) || filter.includes(EventState.DISCARDED)) {
            sections.add(settled);
        }
        return List.copyOf(sections);
    }
}
