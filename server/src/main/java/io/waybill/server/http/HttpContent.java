package io.waybill.server.http;

import io.waybill.admin.OutboxStatus;
import java.util.List;
import java.util.function.Supplier;

/** What the HTTP server shows; each answer is asked for when somebody wants to see it. */
public record HttpContent(Supplier<List<HealthCheck>> checks, Supplier<OutboxStatus> status, Supplier<String> metrics) {}
