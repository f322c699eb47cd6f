package io.waybill.store;

/**
 * A relay's ownership of one lane.
 *
 * @param fence grows with every change of owner; every write of the relay names it, so that a late owner changes nothing
 */
public record Lease(int lane, String relay, long fence) {
    @Override
    public String toString() {
        return "lane " + lane + " (fence " + fence + ")";
    }
}
