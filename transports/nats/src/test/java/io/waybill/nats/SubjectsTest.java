package io.waybill.nats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SubjectsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "order.placed",
                "a b",
                "*",
                ">",
                "a.*.b",
                "..",
                ".a",
                "a.",
                "a..b",
                "50% off",
                "ümlaut",
                "🚚.x",
                "%41",
                "%",
                "a%4"
            })
    void everyTopicHasALegalSubjectAndCanBeReadBack(String topic) {
        String subject = Subjects.subject("waybill", topic);
        assertThat(subject).matches("waybill(\\.[!-~&&[^.*>]]+)+");
        assertThat(Subjects.topic("waybill", subject)).isEqualTo(topic);
    }

    @ParameterizedTest
    @CsvSource({
        "waybill.>,waybill.order.placed,true",
        "waybill.>,waybill,false",
        "waybill.*,waybill.order,true",
        "waybill.*,waybill.order.placed,false",
        "waybill.*.placed,waybill.order.placed,true",
        "waybill.order,waybill.order,true",
        "waybill.order,waybill.orders,false",
        "other.>,waybill.order,false"
    })
    void aStreamAcceptsTheSubjectsThatItsPatternsMatch(String pattern, String subject, boolean covered) {
        assertThat(Subjects.matches(pattern, subject)).isEqualTo(covered);
    }
}
