package io.waybill.server.config;


/**
 * A value that somebody gave, before it is understood.
 *
 * @param origin for people: "flag --database", "waybill.yaml line 3"
 */
record RawSetting(String key, String text, String origin) {}
