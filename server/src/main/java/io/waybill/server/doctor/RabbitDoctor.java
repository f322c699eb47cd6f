package io.waybill.server.doctor;

import io.waybill.WaybillException;
import io.waybill.rabbitmq.RabbitDiagnosis;
import io.waybill.rabbitmq.RabbitTransport;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/** Checks RabbitMQ: whether it is reachable, whether a queue is bound for each topic, and whether it is a quorum queue. */
final class RabbitDoctor {
    private final List<Finding> findings = new ArrayList<>();

    private RabbitDoctor() {}

    /** @param management the address of the management plugin; empty for the default address */
    static List<Finding> examine(RabbitTransport transport, String management, Collection<String> topics) {
        RabbitDoctor doctor = new RabbitDoctor();
        transport.probe();
        doctor.findings.add(Finding.ok("broker", transport + " is reachable, and the exchange exists"));
        try {
            doctor.judge(transport.diagnose(management), topics);
        } catch (WaybillException e) {
            doctor.findings.add(Finding.warning(
                    "queues",
                    String.valueOf(e.getMessage()),
                    "Enable rabbitmq_management and grant the user access, or set its address with --broker-setting"
                            + " management=http://host:port."));
        }
        return doctor.findings;
    }

    private void judge(RabbitDiagnosis diagnosis, Collection<String> topics) {
        if (diagnosis.bindings().isEmpty()) {
            findings.add(Finding.warning(
                    "bindings",
                    "No queue is bound to exchange " + diagnosis.exchange()
                            + ": events wait, and no attempt is counted.",
                    "Start a consumer, or bind a queue."));
        }
        new TreeMap<>(diagnosis.queues()).forEach(this::queue);
        for (String topic : topics) {
            List<String> queues = diagnosis.queuesOf(topic);
            findings.add(
                    queues.isEmpty()
                            ? Finding.failure(
                                    "topic " + topic,
                                    "No queue is bound for it: its events wait, and no attempt is counted.",
                                    "Start its consumer, or bind a queue.",
                                    Exit.FAILED)
                            : Finding.ok("topic " + topic, "goes to " + String.join(", ", queues)));
        }
    }

    private void queue(String name, String type) {
        findings.add(
                type.equals("classic")
                        ? Finding.warning(
                                "queue " + name,
                                "is a classic queue: confirmed events are stored on one node and are lost with its disk.",
                                "Use a quorum queue (x-queue-type=quorum), on three nodes.")
                        : Finding.ok("queue " + name, type));
    }
}
