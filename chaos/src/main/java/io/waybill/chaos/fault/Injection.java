package io.waybill.chaos.fault;

import io.waybill.chaos.world.World;

/** One mishap that is going to happen. Called once each, on one thread, inject before heal. */
public interface Injection {
    /** Whom it hits and how, in a few words: {@code relay-2 at AFTER_ACK:17}. Says everything that was drawn. */
    String parameters();

    /** Breaks it. Returns soon; the fault then acts until it is healed. */
    void inject(World world) throws Exception;

    /** Puts the world back in order, and returns when that is done. Called even when inject has failed half-way. */
    void heal(World world) throws Exception;

    /**
     * How many relays may repeat what they had in flight because of it: one for each that dies, is taken for dead, or loses the
     * database's or the broker's answer.
     */
    int windows();
}
