package io.waybill.server.broker;

import io.waybill.WaybillException;
import io.waybill.kafka.KafkaTransport;
import io.waybill.server.Exit;
import io.waybill.server.Problem;
import io.waybill.server.config.Configuration;

/** The client of the configured broker. */
public final class KafkaBroker {
    private KafkaBroker() {}

    /** @throws Problem when the configured client settings are not ones */
    public static KafkaTransport transport(BrokerAddress broker, Configuration configuration) {
        try {
            return KafkaTransport.builder(broker.bootstrapServers())
                    .settings(configuration.brokerSettings())
                    .build();
        } catch (WaybillException e) {
            throw new Problem(Exit.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    public static void probe(KafkaTransport transport) {
        try {
            transport.probe();
        } catch (WaybillException e) {
            throw new Problem(Exit.BROKER, String.valueOf(e.getMessage()), e);
        }
    }
}
