package io.waybill.examples.quality.suppliers;

/** Non-conformities of one supplier. */
public record Tally(long total, long open, long openHigh) {}
