package io.waybill.server.daemon;

import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.OutboxDatabase;

/** The way of the events of one outbox: its settings, its database and its broker. */
public record Route(Configuration configuration, OutboxDatabase database, BrokerAddress broker) {}
