package io.waybill.server.config;

/**
 * A setting as text, before it is parsed.
 *
 * @param origin for error messages: "flag --database", "waybill.yaml line 3"
 */
record RawSetting(String key, String text, String origin) {}
