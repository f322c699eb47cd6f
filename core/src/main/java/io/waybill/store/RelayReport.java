package io.waybill.store;

/**
 * The status that a relay sends with every heartbeat.
 *
 * @param name unique per relay instance
 * @param place host and process id, shown to operators
 * @param serving whether the relay reaches its broker; if not, other relays take over its lanes
 */
public record RelayReport(
        String name, String place, String version, long publishedTotal, double publishedPerSecond, boolean serving) {

    /** Creates the report of a relay that reaches its broker. */
    public RelayReport(String name, String place, String version, long publishedTotal, double publishedPerSecond) {
        this(name, place, version, publishedTotal, publishedPerSecond, true);
    }
}
