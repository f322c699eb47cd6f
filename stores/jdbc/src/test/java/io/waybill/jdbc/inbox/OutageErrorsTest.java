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
    void theseStatesAreOutages(String state) {
        assertThat(OutageErrors.isOutage(new StoreException("Cannot", new SQLException("down", state))))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"23505", "40001", "40P01", "57014", "22P02", "42P01"})
    void theseStatesAreFailuresOfTheStatement(String state) {
        assertThat(OutageErrors.isOutage(new IllegalStateException(new SQLException("refused", state))))
                .isFalse();
    }

    @Test
    void anExhaustedPoolIsAnOutage() {
        assertThat(OutageErrors.isOutage(new SQLTransientConnectionException("timed out")))
                .isTrue();
        assertThat(OutageErrors.isOutage(new SQLException("Connection is closed")))
                .isTrue();
        assertThat(OutageErrors.isOutage(new SQLException("something else"))).isFalse();
        assertThat(OutageErrors.isOutage(new IllegalStateException("no database at all")))
                .isFalse();
    }
}
