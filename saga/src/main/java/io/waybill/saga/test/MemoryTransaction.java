package io.waybill.saga.test;

/** A transaction of a {@link MemorySagaStore}. */
public final class MemoryTransaction {
    private boolean open = true;

    MemoryTransaction() {}

    boolean isOpen() {
        return open;
    }

    void end() {
        open = false;
    }
}
