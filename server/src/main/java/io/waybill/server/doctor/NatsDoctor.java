package io.waybill.server.doctor;

import io.waybill.nats.NatsDiagnosis;
import io.waybill.nats.NatsTransport;
import io.waybill.server.config.Sizes;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Checks NATS: whether it is reachable, whether the stream accepts the topics, and how durable an acknowledgement is. */
final class NatsDoctor {
    /** An upper bound for the envelope and the headers. */
    private static final int AROUND_PAYLOAD = 8_192;

    private NatsDoctor() {}

    static List<Finding> examine(NatsTransport transport, Collection<String> topics, int maxPayload) {
        transport.probe();
        NatsDiagnosis diagnosis = transport.diagnose();
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.ok(
                "broker",
                transport + ", version " + diagnosis.serverVersion() + ", stream " + diagnosis.stream()
                        + " with subjects " + String.join(", ", diagnosis.subjects())));
        findings.add(durability(diagnosis));
        findings.add(size(diagnosis, maxPayload));
        for (String topic : topics) {
            findings.add(
                    diagnosis.takes(topic)
                            ? Finding.ok("topic " + topic, "goes to stream " + diagnosis.stream())
                            : Finding.failure(
                                    "topic " + topic,
                                    "The stream " + diagnosis.stream()
                                            + " does not accept it: its events wait, and no attempt is counted.",
                                    "Add the subject to the stream.",
                                    Exit.FAILED));
        }
        return findings;
    }

    /** The server does not report its sync interval. Checks whether file storage and replicas protect acknowledged events. */
    private static Finding durability(NatsDiagnosis diagnosis) {
        if (!diagnosis.onDisk()) {
            return Finding.warning(
                    "durability",
                    "Stream " + diagnosis.stream()
                            + " uses memory storage: acknowledged events are lost when the server stops.",
                    "Use file storage.");
        }
        if (diagnosis.replicas() < 3) {
            return Finding.warning(
                    "durability",
                    "Stream " + diagnosis.stream() + " has " + diagnosis.replicas()
                            + " replica, and NATS acknowledges before it syncs its files, by default every two minutes:"
                            + " a power failure loses the events that were acknowledged since the last sync.",
                    "Use three replicas on different machines, or set sync_interval: always in the server's jetstream"
                            + " block (NATS 2.10 or newer; slower).");
        }
        return Finding.ok(
                "durability",
                diagnosis.replicas() + " replicas; files are synced every two minutes unless sync_interval is set,"
                        + " so a simultaneous power failure of all of them loses acknowledged events");
    }

    private static Finding size(NatsDiagnosis diagnosis, int maxPayload) {
        String detail = "The server accepts messages up to "
                + Sizes.print(diagnosis.maxPayload())
                + "; the outbox accepts payloads up to " + Sizes.print(maxPayload);
        return diagnosis.maxPayload() >= maxPayload + (long) AROUND_PAYLOAD
                ? Finding.ok("message size", detail)
                : Finding.warning(
                        "message size",
                        detail + ", so large events will become dead letters.",
                        "Raise max_payload, or lower outbox.max-payload.");
    }
}
