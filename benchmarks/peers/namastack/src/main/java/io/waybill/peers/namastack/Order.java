package io.waybill.peers.namastack;

/** What is stored in the outbox. */
public record Order(String aggregateId, String json) {}
