package io.waybill.spring.internal.start;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** The name of this application: the configured one, or {@code spring.application.name}. */
public final class ServiceName {
    private ServiceName() {}

    /** Returns the source in published events. It is informative, so an application without a name gets a default. */
    public static String ofSource(@Nullable String set, Environment environment) {
        String name = either(set, environment);
        return name == null ? "application" : name;
    }

    /** Returns the consumer group. It has no default, because services of one group share the work. */
    public static String ofGroup(@Nullable String set, Environment environment) {
        String name = either(set, environment);
        if (name == null) {
            throw new StartFailure(
                    "The application consumes events and has no name, so its consumer group is not known. Two services"
                            + " without a name would be one group, and each would miss the events that the other one handles.",
                    "Set spring.application.name, or waybill.inbox.group.");
        }
        return name;
    }

    private static @Nullable String either(@Nullable String set, Environment environment) {
        String name = set == null || set.isBlank() ? environment.getProperty("spring.application.name") : set;
        return name == null || name.isBlank() ? null : name;
    }
}
