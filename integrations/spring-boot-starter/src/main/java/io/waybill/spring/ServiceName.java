package io.waybill.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** What this application is called: as it is set, or by its own name. */
final class ServiceName {
    private ServiceName() {}

    /** The name in the events that it publishes; they need one, and it decides nothing. */
    static String ofSource(@Nullable String set, Environment environment) {
        String name = either(set, environment);
        return name == null ? "application" : name;
    }

    /** The consumer group. Services of one group share the work, so that no name is made up for it. */
    static String ofGroup(@Nullable String set, Environment environment) {
        String name = either(set, environment);
        if (name == null) {
            throw new StartFailure(
                    "The application has an @InboxHandler and no name, so that its consumer group is not known. Two services"
                            + " without a name would be one group, and each would miss the events that the other one takes.",
                    "Set spring.application.name, or waybill.inbox.group.");
        }
        return name;
    }

    private static @Nullable String either(@Nullable String set, Environment environment) {
        String name = set == null || set.isBlank() ? environment.getProperty("spring.application.name") : set;
        return name == null || name.isBlank() ? null : name;
    }
}
