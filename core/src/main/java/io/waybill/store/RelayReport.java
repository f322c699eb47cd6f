package io.waybill.store;

/**
 * The status that a relay sends with every heartbeat.
 *
 * @param name unique per relay instance
 * @param place host and process id, shown to operators
 * @param serving whether the relay's broker answers; an outage shorter than a lease is ignored. Other serving relays take over
 *     the lanes of a relay that is not serving
 */
public record RelayReport(
        String name, String place, String version, long publishedTotal, double publishedPerSecond, boolean serving) {

    /** Creates the report of a serving relay. */
    public RelayReport(String name, String place, String version, long publishedTotal, double publishedPerSecond) {
        this(name, place, version, publishedTotal, publishedPerSecond, true);
    }
}
