package io.waybill.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** What this application is called: as it is set, or by its own name. */
final class ServiceName {
    private ServiceName() {}

    static String of(@Nullable String set, Environment environment) {
        return set != null ? set : environment.getProperty("spring.application.name", "application");
    }
}
