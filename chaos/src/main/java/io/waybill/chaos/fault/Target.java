package io.waybill.chaos.fault;

/** A part of the cluster that a fault affects. Faults with a common target never overlap. */
public enum Target {
    RELAYS,
    WRITERS,
    CONSUMERS,
    SAGAS,
    DATABASE,
    BROKER,
    /** The connections between relays and the database. Their faults may overlap with those of the database itself. */
    DATABASE_LINKS,
    /** The connections to the broker. Their faults have the target BROKER, too, so none overlaps with a fault of the broker itself. */
    BROKER_LINKS
}
