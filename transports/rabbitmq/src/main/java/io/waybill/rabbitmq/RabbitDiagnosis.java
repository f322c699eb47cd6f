package io.waybill.rabbitmq;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What the management plugin says about an exchange and the queues that are bound to it.
 *
 * @param queues the queues' types ({@code classic}, {@code quorum}, {@code stream}) by name
 * @param bindings for which topics each of them is bound, wildcards included
 */
public record RabbitDiagnosis(String exchange, Map<String, String> queues, Map<String, List<String>> bindings) {
    public RabbitDiagnosis {
        queues = Map.copyOf(queues);
        bindings = Map.copyOf(bindings);
    }

    /** The queues that get events of this topic, by name. */
    public List<String> queuesOf(String topic) {
        return bindings.entrySet().stream()
                .filter(entry -> entry.getValue().stream().anyMatch(pattern -> matches(pattern, topic)))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /** As a topic exchange does it: a star stands for one word, a hash for any number of them. */
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
