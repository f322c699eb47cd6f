package io.waybill.examples.quality.worker;

/**
 * The unprocessed events and the dead letters.
 *
 * @param unprocessed committed events whose handler has not succeeded yet, in the outbox or in the inbox
 * @param failed dead letters, which wait for an operator
 * @param oldestAge age of the oldest unprocessed event in seconds; 0 when there is none
 */
public record Backlog(long unprocessed, long failed, double oldestAge) {}
