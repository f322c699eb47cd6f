package io.waybill.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.waybill.Event;
import io.waybill.admin.DeadLetters.Decision;
import io.waybill.admin.EventFilter;
import io.waybill.inbox.IdempotencyKeys.Response;
import io.waybill.inbox.Inbox;
import io.waybill.inbox.InboxOutcome;
import io.waybill.inbox.PermanentException;
import io.waybill.inbox.VersionGuard;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.retry.RetryPolicy;
import io.waybill.testkit.inbox.Messages;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The work of a consumer and of an operator, with only the privileges of their roles. */
class InboxRoleTest {
    private static final Decision FIXED = new Decision("ada", "fixed");

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL"})
    void consumersAndOperatorsCanDoTheirWorkAndCannotChangeTheAudit(DatabaseProduct product) throws Exception {
        try (InboxJdbcBackend owner = InboxJdbcBackend.on(product)) {
            String tag = "_" + System.nanoTime();
            try (HikariDataSource consumer = role(owner, product, InboxRole.CONSUMER, "consumer" + tag);
                    HikariDataSource operator = role(owner, product, InboxRole.OPERATOR, "operator" + tag)) {
                List<Event> dead = consume(owner, consumer);
                InboxSchema.check(consumer);
                InboxSchema.check(operator);
                decide(operator, dead);
                for (HikariDataSource role : List.of(consumer, operator)) {
                    for (String table : List.of("inbox_audit", "inbox_audit_events")) {
                        assertRefused(role, "DELETE FROM " + table);
                        assertRefused(
                                role,
                                "UPDATE " + table + " SET "
                                        + (table.equals("inbox_audit") ? "actor = 'x'" : "audit_id = 0"));
                    }
                }
                assertRefused(
                        consumer,
                        "INSERT INTO inbox_audit (actor, action, reason, consumer_group, events)"
                                + " VALUES ('a', 'b', 'c', 'd', 1)");
                assertRefused(consumer, "DELETE FROM inbox_dead_letters");
                assertRefused(operator, "DELETE FROM inbox_held");
            }
        }
    }

    private static HikariDataSource role(InboxJdbcBackend owner, DatabaseProduct product, InboxRole role, String name) {
        owner.database()
                .execute(
                        product == DatabaseProduct.POSTGRESQL
                                ? "CREATE ROLE " + name + " LOGIN"
                                : "CREATE USER " + name + " IDENTIFIED BY 'secret'");
        role.grants(product, name).forEach(owner.database()::execute);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(
                owner.database().dataSource().getJdbcUrl().replaceAll("(?<=[?&])(user|password)=[^&]*&?", ""));
        config.setUsername(name);
        config.setPassword("secret");
        config.setMaximumPoolSize(4);
        return new HikariDataSource(config);
    }

    /** Applies events, duplicates, failures, parked events, a gap of versions and dead letters, and prunes. Returns two dead letters. */
    private static List<Event> consume(InboxJdbcBackend owner, HikariDataSource role) {
        JdbcInbox tables = JdbcInbox.on(role);
        AtomicReference<String> failing = new AtomicReference<>("fails");
        Inbox<Connection> inbox = Inbox.builder(tables.store(), "stock")
                .on(Messages.TYPE, (connection, event) -> {
                    tables.effects("stock").once(event, "mail", key -> {});
                    if (Messages.text(event).equals(failing.get())) {
                        throw new IllegalStateException("fails for now");
                    }
                    if (Messages.text(event).startsWith("dead")) {
                        throw new PermanentException("hopeless");
                    }
                })
                .versions(VersionGuard.strict(Duration.ofMinutes(1)))
                .retry(new RetryPolicy(3, Duration.ofSeconds(1), Duration.ofSeconds(1)))
                .build();
        assertThat(inbox.handle(List.of(Messages.of("1", "a", 1), Messages.of("1", "a again", 1))))
                .containsExactly(InboxOutcome.PROCESSED, InboxOutcome.STALE);
        assertThat(inbox.handle(Messages.of("1", "c", 3))).isEqualTo(InboxOutcome.PARKED);
        assertThat(inbox.handle(Messages.of("1", "b", 2))).isEqualTo(InboxOutcome.PROCESSED);
        assertThat(inbox.handle(Messages.of("2", "fails"))).isEqualTo(InboxOutcome.RETRY_SCHEDULED);
        assertThat(inbox.handle(Messages.of("2", "waits"))).isEqualTo(InboxOutcome.PARKED);
        failing.set("nothing");
        owner.age(Duration.ofMinutes(5));
        assertThat(inbox.runDue()).isEqualTo(3);
        Event first = Messages.event("3", "dead 1").build();
        Event second = Messages.event("3", "dead 2").build();
        assertThat(inbox.handle(Messages.of(first))).isEqualTo(InboxOutcome.DEAD_LETTERED);
        assertThat(inbox.handle(Messages.of(second))).isEqualTo(InboxOutcome.DEAD_LETTERED);
        owner.age(Duration.ofDays(30));
        assertThat(inbox.prune(100)).isPositive();
        assertThat(tables.view().status("stock").deadLetters()).isEqualTo(2);
        assertThat(tables.idempotencyKeys()
                        .answer("orders", "k", "h", Duration.ofDays(1), connection -> new Response(201, "done"))
                        .status())
                .isEqualTo(201);
        owner.age(Duration.ofDays(2));
        assertThat(tables.idempotencyKeys().prune(10)).isEqualTo(1);
        return List.of(first, second);
    }

    private static void decide(HikariDataSource role, List<Event> dead) {
        JdbcInbox tables = JdbcInbox.on(role);
        assertThat(tables.deadLetters().list("stock", EventFilter.ALL, 10)).hasSize(2);
        assertThat(tables.deadLetters().replay("stock", List.of(dead.get(0).id()), FIXED))
                .hasSize(1);
        assertThat(tables.deadLetters().discard("stock", List.of(dead.get(1).id()), FIXED))
                .hasSize(1);
        assertThat(tables.deadLetters().history("stock", dead.get(1).id())).hasSize(1);
        assertThat(tables.view().status("stock").parked()).isEqualTo(1);
    }

    private static void assertRefused(HikariDataSource role, String sql) {
        assertThatThrownBy(() -> {
                    try (Connection connection = role.getConnection();
                            Statement statement = connection.createStatement()) {
                        statement.execute(sql);
                    }
                })
                .as(sql)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(SqlState.of(e)).isEqualTo("42501"));
    }
}
