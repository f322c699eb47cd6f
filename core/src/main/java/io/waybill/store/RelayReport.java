package io.waybill.store;

/**
 * What a relay says about itself with every heartbeat.
 *
 * @param name unique per relay instance
 * @param place host and process id, for people
 */
public record RelayReport(String name, String place, String version, long publishedTotal, double publishedPerSecond) {}
