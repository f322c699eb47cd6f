package io.waybill.chaos.fault;

/** What a fault takes hold of. Two faults act at the same time only when they share none of these. */
public enum Target {
    RELAYS,
    WRITERS,
    CONSUMERS,
    DATABASE,
    BROKER,
    DATABASE_LINKS,
    BROKER_LINK
}
