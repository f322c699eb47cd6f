package io.waybill.faults.simulation;

import io.waybill.Event;
import io.waybill.admin.EventState;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A row of the modelled outbox table. */
final class Row {
    static final long AT_ONCE = Long.MIN_VALUE;
    static final long NOT_YET = Long.MAX_VALUE;

    final Event event;
    final int lane;
    final long position;
    final long transaction;
    final long createdAt;
    boolean committed;
    /** Whether the commit survives a crash of the database. */
    boolean durable;

    EventState state = EventState.PENDING;
    /** The time of the next attempt; {@link #NOT_YET} behind another event, {@link #AT_ONCE} if it never failed. */
    long due = AT_ONCE;

    int retryCount;
    int crashCount;
    long claimedBy;

    @Nullable
    String error;

    Row(Event event, int lane, long position, long transaction, long createdAt) {
        this.event = event;
        this.lane = lane;
        this.position = position;
        this.transaction = transaction;
        this.createdAt = createdAt;
    }

    UUID id() {
        return event.id();
    }

    String key() {
        return event.key();
    }

    /** Whether the event is neither published nor a dead letter. */
    boolean open() {
        return state == EventState.PENDING || state == EventState.CLAIMED || state == EventState.PARKED;
    }

    /** Whether later events of the key must wait. */
    boolean holdsBack() {
        return open() ? due != AT_ONCE : state == EventState.DEAD_LETTER && due == NOT_YET;
    }

    boolean waitsForFirstAttempt() {
        return state == EventState.PENDING && due == AT_ONCE;
    }

    @Override
    public String toString() {
        return key() + "#" + position + " " + state + (retryCount > 0 ? " failed " + retryCount : "");
    }
}
