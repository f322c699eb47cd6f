package io.waybill.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.kafka.KafkaDiagnosis;
import io.waybill.server.problem.Finding;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class KafkaDoctorTest {
    @Test
    void aTopicThatAcceptsOneCopyIsAWarningAlthoughTheBrokersAskForTwo() {
        assertThat(examine(topic("orders", 3, 1)))
                .anyMatch(finding -> finding.toString().contains("has 3 replicas and min.insync.replicas 1"));
    }

    @Test
    void aTopicThatNeedsTwoCopiesIsNoWarning() {
        assertThat(examine(topic("orders", 3, 2)))
                .noneMatch(finding -> finding.toString().contains("min.insync.replicas 1"));
    }

    @Test
    void anInvalidTopicNameIsAFailureWithItsReason() {
        KafkaDiagnosis.Topic invalid = new KafkaDiagnosis.Topic(
                "bad topic!", Optional.of("the reason"), 0, 0, OptionalInt.empty(), OptionalInt.empty());

        assertThat(examine(invalid))
                .anyMatch(finding -> finding.toString().contains("is not a valid name (the reason)"));
    }

    private static KafkaDiagnosis.Topic topic(String name, int replicas, int insync) {
        return new KafkaDiagnosis.Topic(
                name, Optional.empty(), 6, replicas, OptionalInt.of(2_000_000), OptionalInt.of(insync));
    }

    private static List<Finding> examine(KafkaDiagnosis.Topic topic) {
        KafkaDiagnosis cluster = new KafkaDiagnosis(
                "cluster",
                List.of("a:9092", "b:9092", "c:9092"),
                OptionalInt.of(1),
                OptionalInt.of(2_000_000),
                OptionalInt.of(2),
                Optional.of(true),
                List.of(topic));
        return KafkaDoctor.findings(cluster, "kafka://a:9092", 1_000_000);
    }
}
