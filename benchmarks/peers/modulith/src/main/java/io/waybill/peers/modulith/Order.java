package io.waybill.peers.modulith;

import org.springframework.modulith.events.Externalized;

/** The event that the application publishes. */
@Externalized
public record Order(String aggregateId, String json) {}
