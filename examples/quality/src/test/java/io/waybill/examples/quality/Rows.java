package io.waybill.examples.quality;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Reads the tables directly. */
final class Rows {
    private Rows() {}

    static JdbcTemplate of(String database) {
        return new JdbcTemplate(new DriverManagerDataSource(database));
    }

    static long count(JdbcTemplate jdbc, String fromWhere) {
        Long count = jdbc.queryForObject("SELECT count(*) FROM " + fromWhere, Long.class);
        return count == null ? -1 : count;
    }

    static void awaitCount(JdbcTemplate jdbc, long expected, String fromWhere) {
        await().atMost(Duration.ofMinutes(4)).until(() -> count(jdbc, fromWhere) == expected);
    }

    static String handled(String type, String entity, long id) {
        return "audit_log WHERE actor = 'system' AND action = '" + type + "_HANDLED' AND entity_type = '" + entity
                + "' AND entity_id = " + id;
    }
}
