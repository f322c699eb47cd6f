package io.waybill.jdbc.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.store.StoreException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutageErrorsTest {
    @ParameterizedTest
    @ValueSource(strings = {"08006", "08001", "57P01", "57P03", "53100", "53300", "28P01", "25006"})
    void aDatabaseThatIsOutIsNotTheEventsFault(String state) {
        assertThat(OutageErrors.is(new StoreException("Cannot", new SQLException("down", state))))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"23505", "40001", "40P01", "57014", "22P02", "42P01"})
    void aStatementThatFailsIsNoOutage(String state) {
        assertThat(OutageErrors.is(new IllegalStateException(new SQLException("refused", state))))
                .isFalse();
    }

    @Test
    void aPoolThatHasNoConnectionIsOut() {
        assertThat(OutageErrors.is(new SQLTransientConnectionException("timed out")))
                .isTrue();
        assertThat(OutageErrors.is(new SQLException("Connection is closed"))).isTrue();
        assertThat(OutageErrors.is(new SQLException("something else"))).isFalse();
        assertThat(OutageErrors.is(new IllegalStateException("no database at all")))
                .isFalse();
    }
}
