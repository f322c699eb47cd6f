package io.waybill.chaos.world;

/** How many processes of each kind there are. */
public record Shape(int relays, int writers, int consumers) {}
