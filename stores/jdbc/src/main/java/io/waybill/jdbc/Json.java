package io.waybill.jdbc;

/** A parameter that is JSON text. */
record Json(String text) {}
