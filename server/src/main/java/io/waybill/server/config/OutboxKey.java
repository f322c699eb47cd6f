package io.waybill.server.config;

import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The key of a setting of one outbox: {@code outboxes.NAME.SETTING}.
 *
 * @param setting the key below the name; empty if there is none
 */
record OutboxKey(String name, String setting) {
    static final String SECTION = "outboxes";
    static final String PREFIX = SECTION + ".";

    /** The groups of settings that an outbox may override. The others belong to the whole process. */
    static final Set<String> GROUPS = Set.of("database", "engine", "layout", "broker", "relay", "outbox");

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,62}");

    /** Returns empty if the key is not one of an outbox. */
    static Optional<OutboxKey> parse(String key) {
        if (!key.startsWith(PREFIX)) {
            return Optional.empty();
        }
        String rest = key.substring(PREFIX.length());
        int dot = rest.indexOf('.');
        return Optional.of(dot < 0 ? new OutboxKey(rest, "") : new OutboxKey(rest.substring(0, dot), rest.substring(dot + 1)));
    }

    /** The keys of all settings that this outbox may override. */
    List<String> known() {
        return Settings.all().stream()
                .filter(known -> GROUPS.contains(known.group()))
                .map(known -> PREFIX + name + "." + known.key())
                .toList();
    }

    void requireName(RawSetting value) {
        if (!NAME.matcher(name).matches()) {
            throw Problem.usage("'" + name + "' in " + value.origin() + " cannot be the name of an outbox. A name has up to 63"
                    + " letters, digits and hyphens, and does not begin with a hyphen.");
        }
    }

    /** The part of an environment variable that stands for the name of an outbox. */
    static String environmentName(String outbox) {
        return Setting.environmentName(outbox).substring(Setting.PREFIX.length());
    }
}
