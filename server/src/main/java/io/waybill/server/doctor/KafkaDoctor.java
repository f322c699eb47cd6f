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
import java.util.regex.Pattern;

/** Checks Kafka: whether it is reachable, and whether its limits match those of the outbox. */
final class KafkaDoctor {
    /** An upper bound for the envelope, the headers and the framing of the record. */
    private static final int AROUND_PAYLOAD = 8_192;

    private static final Pattern LEGAL_TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

    private final int maxPayload;
    private final List<Finding> findings = new ArrayList<>();

    private KafkaDoctor(int maxPayload) {
        this.maxPayload = maxPayload;
    }

    static List<Finding> examine(KafkaTransport transport, Collection<String> topics, int maxPayload) {
        KafkaDoctor doctor = new KafkaDoctor(maxPayload);
        try {
            List<String> legal = topics.stream().filter(KafkaDoctor::isLegal).toList();
            doctor.judge(transport.diagnose(legal), transport.toString());
            topics.stream().filter(topic -> !isLegal(topic)).forEach(doctor::illegal);
        } catch (WaybillException e) {
            doctor.findings.add(Finding.failure("broker", String.valueOf(e.getMessage()), "", Exit.BROKER));
        }
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
        if (topic.exists() && topic.maxMessageBytes().isPresent()) {
            size(check, "It accepts records", topic.maxMessageBytes().getAsInt());
        } else if (topic.exists()) {
            findings.add(Finding.ok(check, "exists; the user may not read its limits"));
        } else if (creates) {
            findings.add(Finding.ok(check, "does not exist yet; appears on first use"));
        } else {
            findings.add(Finding.failure(
                    check,
                    "does not exist, and the cluster does not create topics automatically.",
                    "Create it. Then replay its dead letters.",
                    Exit.FAILED));
        }
    }

    private static boolean isLegal(String topic) {
        return LEGAL_TOPIC.matcher(topic).matches() && !topic.equals(".") && !topic.equals("..");
    }

    private void illegal(String topic) {
        findings.add(Finding.failure(
                "topic " + topic,
                "is not a valid name: its events become dead letters.",
                "Use 1 to 249 ASCII letters, digits, '.', '_' and '-'.",
                Exit.FAILED));
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
