package io.waybill.examples.quality.worker;

/**
 * What the worker still has to do, and what it has given up on.
 *
 * @param unprocessed committed events whose handler has not run with success, wherever they wait
 * @param failed dead letters, which wait for a person
 * @param oldestAge seconds that the oldest unprocessed event has waited; 0 when there is none
 */
public record Backlog(long unprocessed, long failed, double oldestAge) {}
