package io.waybill.jdbc.internal.sql;

/** A parameter that is JSON text. */
public record JsonValue(String text) {}
