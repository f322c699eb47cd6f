package io.waybill.chaos.check;

/**
 * The world at one moment.
 *
 * @param seconds since the breaking began
 * @param committed events that the database has taken, or -1 when it did not say
 * @param records on the topic, or -1 when the broker did not say
 * @param backlog events that wait, or -1 when the database did not say
 */
public record Sample(double seconds, long committed, long records, long backlog) {}
