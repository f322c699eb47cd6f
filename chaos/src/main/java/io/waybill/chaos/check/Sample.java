package io.waybill.chaos.check;

/**
 * Counts at one moment.
 *
 * @param seconds the time since the start of the run
 * @param committed the number of committed events, or -1 if the database did not answer
 * @param records the number of records on the topic, or -1 if the broker did not answer
 * @param backlog the number of unpublished events, or -1 if the database did not answer
 */
public record Sample(double seconds, long committed, long records, long backlog) {}
