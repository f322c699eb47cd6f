package io.waybill.bench.saga;

import io.waybill.bench.contest.Schema;
import io.waybill.bench.measure.DeliveryCheck;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The effects of a participant. The table has no unique key, so a command that is executed twice leaves two rows. */
final class Ledger {
    static final String TABLE = "CREATE TABLE ledger (saga text NOT NULL, step int NOT NULL)";

    private Ledger() {}

    static void add(Connection connection, String saga, int step) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO ledger (saga, step) VALUES (?, ?)")) {
            insert.setString(1, saga);
            insert.setInt(2, step);
            insert.executeUpdate();
        }
    }

    static DeliveryCheck check(Schema participant, int sagas) throws SQLException {
        long expected = (long) sagas * SagaContestant.STEPS;
        long rows = (long) participant.number("SELECT count(*) FROM ledger");
        long distinct = (long) participant.number("SELECT count(*) FROM (SELECT DISTINCT saga, step FROM ledger) d");
        return new DeliveryCheck(expected, rows, expected - distinct, rows - distinct, 0, 0, 0);
    }
}
