package io.waybill.store;

/**
 * A relay's ownership of one lane.
 *
 * @param fence grows with every change of owner. Every write of a relay includes it, so that late writes of a former owner are rejected
 */
public record Lease(int lane, String relay, long fence) {
    @Override
    public String toString() {
        return "lane " + lane + " (fence " + fence + ")";
    }
}
