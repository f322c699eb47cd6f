package io.waybill.server.config;

import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * An environment variable with a setting of one outbox, such as {@code WAYBILL_OUTBOXES_ORDER_DATABASE_PASSWORD}. A hyphen in the
 * name of the outbox is an underscore in the variable. The variable is read from its end, because both the name and the setting may
 * contain underscores, and no setting ends with the name of another one.
 *
 * @param prefix the part up to and including the name of the outbox and an underscore
 */
record OutboxVariable(String outbox, String prefix) {
    private static final String PREFIX = Setting.environmentName(OutboxKey.SECTION) + "_";
    private static final String BROKER_SETTINGS = "_" + environmentPart(Settings.BROKER_SETTINGS) + "_";

    static boolean matches(String variable) {
        return variable.startsWith(PREFIX);
    }

    /**
     * @param declared the outboxes of the file; if there are none, variables declare them
     * @throws Problem if the variable names no setting, or an outbox that is not declared
     */
    static OutboxVariable parse(String variable, Set<String> declared) {
        String name = name(variable.substring(PREFIX.length()))
                .orElseThrow(() -> Problem.usage("Unknown environment variable " + variable + "."
                        + Suggestion.sentence(variable, examples(declared))
                        + " The name of a variable is WAYBILL_OUTBOXES_, the name of an outbox, and a setting, such as "
                        + PREFIX + "ORDER_DATABASE_URL."));
        String prefix = PREFIX + name + "_";
        if (declared.isEmpty()) {
            return new OutboxVariable(name.toLowerCase(Locale.ROOT).replace('_', '-'), prefix);
        }
        return declared.stream()
                .filter(outbox -> OutboxKey.environmentName(outbox).equals(name))
                .findFirst()
                .map(outbox -> new OutboxVariable(outbox, prefix))
                .orElseThrow(() -> Problem.usage(variable + " concerns an outbox that the file does not declare."
                        + Suggestion.sentence(variable, examples(declared)) + " Declared: " + String.join(", ", declared)
                        + "."));
    }

    private static Optional<String> name(String rest) {
        int settings = rest.indexOf(BROKER_SETTINGS);
        if (settings > 0) {
            return Optional.of(rest.substring(0, settings));
        }
        return parts().stream()
                .map(part -> "_" + part)
                .filter(part -> rest.endsWith(part) && rest.length() > part.length())
                .findFirst()
                .map(part -> rest.substring(0, rest.length() - part.length()));
    }

    /** The ends of all variables. */
    private static List<String> parts() {
        List<String> parts = new ArrayList<>();
        for (Setting<?> setting : Settings.all()) {
            if (OutboxKey.GROUPS.contains(setting.group())) {
                parts.add(environmentPart(setting.key()));
                if (setting.secret()) {
                    parts.add(environmentPart(setting.key()) + SettingsEnvironment.FILE_SUFFIX);
                }
            }
        }
        return parts;
    }

    private static List<String> examples(Collection<String> outboxes) {
        return (outboxes.isEmpty() ? List.of("order") : outboxes)
                .stream()
                        .flatMap(outbox -> parts().stream().map(part -> PREFIX + OutboxKey.environmentName(outbox) + "_" + part))
                        .toList();
    }

    private static String environmentPart(String key) {
        return Setting.environmentName(key).substring(Setting.PREFIX.length());
    }

    /** The variable of the same setting at the top level. */
    String atTopLevel(String variable) {
        return Setting.PREFIX + variable.substring(prefix.length());
    }
}
