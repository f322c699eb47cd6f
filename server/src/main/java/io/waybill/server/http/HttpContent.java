package io.waybill.server.http;

import io.waybill.admin.OutboxStatus;
import java.util.List;
import java.util.function.Supplier;

/** The content of the HTTP server. Each supplier is called once per request. */
public record HttpContent(
        Supplier<List<HealthCheck>> checks, Supplier<OutboxStatus> status, Supplier<String> metrics) {}
