package io.waybill.testkit.history;

import java.util.Map;
import java.util.UUID;

/** A record as the topic holds it. Deliveries of one key are compared in list order. */
public record Delivered(UUID id, String key, String payload, Map<String, String> headers) {}
