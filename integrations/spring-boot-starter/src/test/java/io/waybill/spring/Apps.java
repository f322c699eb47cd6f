package io.waybill.spring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts whole applications on a real database. */
final class Apps {
    /** Most tests do not need Hibernate, which is slow to start. */
    static final String WITHOUT_JPA =
            "spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration";

    private Apps() {}

    static ConfigurableApplicationContext run(Class<?> application, String database, String... properties) {
        return builder(application, database, properties).run();
    }

    static SpringApplicationBuilder builder(Class<?> application, String database, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "spring.application.name=shop",
                "spring.datasource.url=" + database,
                "spring.main.banner-mode=off",
                "spring.flyway.enabled=false"));
        all.addAll(List.of(properties));
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties(all.toArray(String[]::new));
    }
}
