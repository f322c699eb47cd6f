package io.waybill.kafka;

import java.util.Optional;
import java.util.regex.Pattern;

/** Kafka's rules for the names of topics, checked here because the broker would only be asked in vain. */
final class TopicNameRules {
    private static final int LONGEST = 249;
    private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]+");

    private TopicNameRules() {}

    /** What is wrong with the name, if anything. */
    static Optional<String> problem(String topic) {
        if (topic.isEmpty()) {
            return Optional.of("the name is empty");
        }
        if (topic.length() > LONGEST) {
            return Optional.of(
                    "the name is " + topic.length() + " characters long, at most " + LONGEST + " are allowed");
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
