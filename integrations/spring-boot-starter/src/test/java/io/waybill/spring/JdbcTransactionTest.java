package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class JdbcTransactionTest extends TransactionContract {
    @Override
    List<String> properties() {
        // A pool that never is in auto-commit mode looks as if a transaction were always there.
        return List.of(Apps.WITHOUT_JPA, "spring.datasource.hikari.auto-commit=false");
    }

    @Test
    void aRollbackToASavepointRemovesItsEvents() {
        application.getBean(Outer.class).keepWhatNestedLoses("outer", "nested");

        assertThat(changes()).containsExactly("outer");
        assertThat(events()).containsExactly("outer");
    }
}
