package io.waybill.server.doctor;

import io.waybill.WaybillException;
import io.waybill.kafka.KafkaDiagnosis;
import io.waybill.kafka.KafkaTransport;
import io.waybill.server.config.Sizes;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Checks Kafka: whether it is reachable, and whether its limits match those of the outbox. */
final class KafkaDoctor {
    /** An upper bound for the envelope, the headers and the framing of the record. */
    private static final int AROUND_PAYLOAD = 8_192;

    private final int maxPayload;
    private final List<Finding> findings = new ArrayList<>();

    private KafkaDoctor(int maxPayload) {
        this.maxPayload = maxPayload;
    }

    static List<Finding> examine(KafkaTransport transport, Collection<String> topics, int maxPayload) {
        try {
            return findings(transport.diagnose(topics), transport.toString(), maxPayload);
        } catch (WaybillException e) {
            return List.of(Finding.failure("broker", String.valueOf(e.getMessage()), "", Exit.BROKER));
        }
    }

    static List<Finding> findings(KafkaDiagnosis diagnosis, String name, int maxPayload) {
        KafkaDoctor doctor = new KafkaDoctor(maxPayload);
        doctor.judge(diagnosis, name);
        return doctor.findings;
    }

    private void judge(KafkaDiagnosis diagnosis, String name) {
        findings.add(Finding.ok(
                "broker",
                name + ", cluster " + diagnosis.clusterId() + ", brokers " + String.join(", ", diagnosis.brokers())));
        diagnosis.maxMessageBytes().ifPresent(limit -> size("message size", "Brokers accept records", limit));
        replicas(diagnosis);
        boolean creates = diagnosis.autoCreateTopics().orElse(true);
        findings.add(Finding.ok("topic creation", creates ? "topics are created on first use" : "topics must exist"));
        for (KafkaDiagnosis.Topic topic : diagnosis.topics()) {
            topic(topic, creates);
        }
    }

    private void topic(KafkaDiagnosis.Topic topic, boolean creates) {
        String check = "topic " + topic.name();
        if (topic.invalidName().isPresent()) {
            findings.add(Finding.failure(
                    check,
                    "is not a valid name (" + topic.invalidName().get() + "): its events become dead letters.",
                    "Use 1 to 249 ASCII letters, digits, '.', '_' and '-'.",
                    Exit.FAILED));
        } else if (topic.exists() && topic.maxMessageBytes().isPresent()) {
            size(check, "It accepts records", topic.maxMessageBytes().getAsInt());
            warnAboutOneCopy(topic);
        } else if (topic.exists()) {
            findings.add(Finding.ok(check, "exists; the user may not read its limits"));
        } else if (creates) {
            findings.add(Finding.ok(check, "does not exist yet; appears on first use"));
        } else {
            findings.add(Finding.failure(
                    check,
                    "does not exist, and the cluster does not create topics automatically.",
                    "Create it. Its events wait, and are published then.",
                    Exit.FAILED));
        }
    }

    /** Warns if the topic itself accepts one copy: a topic can have a lower limit than the brokers. */
    private void warnAboutOneCopy(KafkaDiagnosis.Topic topic) {
        if (topic.replicas() > 1 && topic.minInsyncReplicas().orElse(2) < 2) {
            findings.add(Finding.warning(
                    "topic " + topic.name(),
                    "has " + topic.replicas()
                            + " replicas and min.insync.replicas 1: an acknowledged event may be stored on one broker only.",
                    "Set min.insync.replicas of this topic to 2."));
        }
    }

    private void size(String check, String subject, int limit) {
        String detail = subject + " up to " + Sizes.print(limit) + "; the outbox accepts payloads up to "
                + Sizes.print(maxPayload);
        findings.add(
                limit >= maxPayload + AROUND_PAYLOAD
                        ? Finding.ok(check, detail)
                        : Finding.warning(
                                check,
                                detail + ", so large events will become dead letters.",
                                "Raise max.message.bytes, or lower outbox.max-payload."));
    }

    private void replicas(KafkaDiagnosis diagnosis) {
        int brokers = diagnosis.brokers().size();
        int insync = diagnosis.minInsyncReplicas().orElse(1);
        if (brokers > 1 && insync < 2) {
            findings.add(Finding.warning(
                    "replicas",
                    "min.insync.replicas is 1 on " + brokers
                            + " brokers: an acknowledged event may be stored on one broker only.",
                    "Set min.insync.replicas to 2 on topics with three replicas."));
        } else {
            findings.add(Finding.ok(
                    "replicas",
                    brokers == 1 ? "one broker: events are stored on one disk only" : "min.insync.replicas " + insync));
        }
    }
}
