package io.waybill.store;

/**
 * What a relay says about itself with every heartbeat.
 *
 * @param name unique per relay instance
 * @param place host and process id, for people
 * @param serving whether it reaches its broker; others take the lanes of a relay that does not
 */
public record RelayReport(
        String name, String place, String version, long publishedTotal, double publishedPerSecond, boolean serving) {

    /** Of a relay that reaches its broker. */
    public RelayReport(String name, String place, String version, long publishedTotal, double publishedPerSecond) {
        this(name, place, version, publishedTotal, publishedPerSecond, true);
    }
}
