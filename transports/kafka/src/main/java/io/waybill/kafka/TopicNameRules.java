package io.waybill.kafka;

import java.util.Optional;
import java.util.regex.Pattern;

/** Kafka's rules for topic names, checked before a round trip to the broker. */
final class TopicNameRules {
    private static final int MAX_LENGTH = 249;
    private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]+");

    private TopicNameRules() {}

    /** Returns what is wrong with the name; empty if it is valid. */
    static Optional<String> problem(String topic) {
        if (topic.isEmpty()) {
            return Optional.of("the name is empty");
        }
        if (topic.length() > MAX_LENGTH) {
            return Optional.of(
                    "the name is " + topic.length() + " characters long, at most " + MAX_LENGTH + " are allowed");
        }
        if (topic.equals(".") || topic.equals("..")) {
            return Optional.of("\".\" and \"..\" are not allowed as names");
        }
        if (!LEGAL.matcher(topic).matches()) {
            return Optional.of("only ASCII letters, digits, '.', '_' and '-' are allowed in a name");
        }
        return Optional.empty();
    }
}
