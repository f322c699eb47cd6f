package io.waybill.peers.namastack;

/** The payload of an outbox record. */
public record Order(String aggregateId, String json) {}
