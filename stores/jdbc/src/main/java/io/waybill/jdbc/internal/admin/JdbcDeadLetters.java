package io.waybill.jdbc.internal.admin;

import io.waybill.admin.Action;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventState;
import java.util.List;
import java.util.UUID;

/** Replays and discards dead letters. */
public final class JdbcDeadLetters implements DeadLetters {
    private final JdbcView view;
    private final JdbcActions actions;

    public JdbcDeadLetters(JdbcView view, JdbcActions actions) {
        this.view = view;
        this.actions = actions;
    }

    @Override
    public List<UUID> matching(EventFilter filter, int limit) {
        return view.events(filter.state(EventState.DEAD_LETTER), Math.min(limit, LARGEST_BULK)).stream()
                .map(dead -> dead.event().id())
                .toList();
    }

    @Override
    public List<UUID> replay(List<UUID> ids, Decision decision) {
        return actions.replay(ids, action(decision)).events();
    }

    @Override
    public List<UUID> replayTo(String topic, List<UUID> ids, Decision decision) {
        return actions.replayTo(topic, ids, action(decision)).events();
    }

    @Override
    public List<UUID> discard(List<UUID> ids, Decision decision) {
        return actions.discard(ids, action(decision)).events();
    }

    private static Action action(Decision decision) {
        return new Action(decision.actor(), decision.reason());
    }
}
