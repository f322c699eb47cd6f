package io.waybill.chaos.cluster;

/** The number of processes of each kind. */
public record ClusterSize(int relays, int writers, int consumers) {}
