package io.waybill.server.daemon;

import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.OutboxDatabase;

/** The settings, the database and the broker of one outbox. */
public record Route(Configuration configuration, OutboxDatabase database, BrokerAddress broker) {}
