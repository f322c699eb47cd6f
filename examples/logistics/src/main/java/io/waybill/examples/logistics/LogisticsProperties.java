package io.waybill.examples.logistics;

import io.waybill.examples.logistics.outbox.Publishing;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the service; none has to be set.
 *
 * @param publishing How events reach the broker.
 * @param maxBody Largest request body.
 */
@ConfigurationProperties(prefix = "logistics", ignoreUnknownFields = false)
public record LogisticsProperties(
        @DefaultValue("outbox") Publishing publishing,
        @DefaultValue("64KB") DataSize maxBody) {}
