package io.waybill.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of a relay that serves an outbox table of the application's own, which the application fills with its own INSERT.
 *
 * @param name A built-in layout, such as retry-columns, or a Spring resource or file, such as classpath:outbox.properties.
 * @param url JDBC address of the table's database; spring.datasource.url by default. The schema of the layout is added to it.
 * @param username Database user of the relay, which must see all rows; spring.datasource.username by default.
 * @param password Password of that user; spring.datasource.password by default, if the user is the same.
 * @param poolSize Largest number of database connections of the relay.
 */
@ConfigurationProperties("waybill.layout")
public record LayoutProperties(
        String name,
        @Nullable String url,
        @Nullable String username,
        @Nullable String password,
        @DefaultValue("5") int poolSize) {}
