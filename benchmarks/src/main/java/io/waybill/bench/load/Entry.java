package io.waybill.bench.load;

/** An event to append: its number, which grows within a key, its key, and a payload that names both. */
public record Entry(long number, String key, String payload) {}
