package io.waybill.rabbitmq;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What RabbitMQ's management plugin reports about an exchange and the queues bound to it.
 *
 * @param queues queue types ({@code classic}, {@code quorum}, {@code stream}) by queue name
 * @param bindings binding keys by queue name, wildcards included
 */
public record RabbitDiagnosis(String exchange, Map<String, String> queues, Map<String, List<String>> bindings) {
    public RabbitDiagnosis {
        queues = Map.copyOf(queues);
        bindings = Map.copyOf(bindings);
    }

    /** Returns the sorted names of the queues that receive events of this topic. */
    public List<String> queuesOf(String topic) {
        return bindings.entrySet().stream()
                .filter(entry -> entry.getValue().stream().anyMatch(pattern -> matches(pattern, topic)))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /** Matches like a topic exchange: {@code *} is exactly one word, {@code #} is zero or more words. */
    static boolean matches(String pattern, String topic) {
        StringBuilder regex = new StringBuilder();
        for (String word : pattern.split("\\.", -1)) {
            regex.append(
                    switch (word) {
                        case "#" -> "(\\.[^.]*)*";
                        case "*" -> "\\.[^.]*";
                        default -> "\\." + Pattern.quote(word);
                    });
        }
        return Pattern.matches(regex.toString(), "." + topic);
    }
}
