package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.inbox.IdempotencyKeys;
import io.waybill.inbox.IdempotencyKeys.Response;
import io.waybill.testkit.servers.SharedServers;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** The response of a key and the application's changes commit together, or not at all. */
@SuppressWarnings("NullAway.Init")
class IdempotencyKeysTest {
    private static ConfigurableApplicationContext application;
    private static JdbcTemplate jdbc;
    private static TransactionTemplate transaction;
    private static IdempotencyKeys<Connection> keys;

    @BeforeAll
    static void start() {
        application = Apps.run(
                InProcessTest.App.class, SharedServers.freshDatabase(), Apps.WITHOUT_JPA, "waybill.schema=apply");
        jdbc = application.getBean(JdbcTemplate.class);
        transaction = application.getBean(TransactionTemplate.class);
        keys = application
                .<IdempotencyKeys<Connection>>getBeanProvider(
                        ResolvableType.forClassWithGenerics(IdempotencyKeys.class, Connection.class))
                .getObject();
        jdbc.execute("CREATE TABLE orders (what varchar(40))");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void clean() {
        jdbc.execute("TRUNCATE orders, idempotency_keys");
    }

    private static Response place(String what) {
        return keys.answer("orders", "key-1", "hash", Duration.ofDays(1), connection -> {
            jdbc.update("INSERT INTO orders VALUES (?)", what); // finds the transaction by itself, as repositories do
            return new Response(201, what);
        });
    }

    @Test
    void theWorkAndTheKeyRollBackWithTheOuterTransaction() {
        transaction.executeWithoutResult(status -> {
            jdbc.update("INSERT INTO orders VALUES ('before')");
            place("first");
            status.setRollbackOnly();
        });
        assertThat(jdbc.queryForList("SELECT what FROM orders")).isEmpty();
        assertThat(place("second")).as("the key is free at once").isEqualTo(new Response(201, "second"));
        assertThat(jdbc.queryForList("SELECT what FROM orders", String.class)).containsExactly("second");
    }

    @Test
    void theWorkAndTheKeyCommitWithTheOuterTransaction() {
        transaction.executeWithoutResult(status -> {
            jdbc.update("INSERT INTO orders VALUES ('before')");
            place("first");
        });
        assertThat(place("second")).isEqualTo(new Response(201, "first"));
        assertThat(jdbc.queryForList("SELECT what FROM orders", String.class)).containsExactly("before", "first");
    }

    @Test
    void withoutATransactionTheWorkRunsInANewOne() {
        assertThatThrownBy(() -> keys.answer("orders", "key-1", "hash", Duration.ofDays(1), connection -> {
                    jdbc.update("INSERT INTO orders VALUES ('lost')");
                    throw new IllegalStateException("no stock");
                }))
                .hasMessage("no stock");
        assertThat(jdbc.queryForList("SELECT what FROM orders")).isEmpty();
        assertThat(place("fine")).isEqualTo(new Response(201, "fine"));
    }
}
