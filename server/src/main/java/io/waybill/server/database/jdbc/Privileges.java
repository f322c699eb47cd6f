package io.waybill.server.database.jdbc;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.DatabaseRole;
import io.waybill.jdbc.Engine;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Checks whether a user has the privileges of a relay and of an operator. */
abstract class Privileges {
    private final Connection connection;

    Privileges(Connection connection) {
        this.connection = connection;
    }

    /** Whether the user has a privilege, such as SELECT, on the table. Also true when the table does not exist. */
    abstract boolean has(String table, String privilege) throws SQLException;

    /** @return whether the user has all privileges of a relay */
    boolean examine(ServerCheck server, Engine engine, List<Finding> findings) throws SQLException {
        DatabaseProduct product = DatabaseProduct.of(connection);
        String user = ServerCheck.text(connection, "SELECT current_user");
        List<String> relay = missing(server, DatabaseRole.RELAY.privileges(product, engine));
        if (!relay.isEmpty()) {
            String writer = has("outbox_events", "INSERT") ? " may append events, but" : "";
            findings.add(Finding.failure(
                    "privileges",
                    "User " + user + writer + " lacks privileges that a relay needs.",
                    String.join(" ", relay),
                    Exit.DATABASE));
            return false;
        }
        findings.add(Finding.ok("privileges", "the user has all privileges of a relay"));
        List<String> operator = missing(server, DatabaseRole.OPERATOR.privileges(product, engine));
        if (!operator.isEmpty()) {
            findings.add(Finding.warning(
                    "operator",
                    "User " + user + " may not replay or discard dead letters; a relay does not need this.",
                    "Let operators use another user, or: " + String.join(" ", operator)));
        }
        return true;
    }

    /** The missing grants, as SQL. */
    List<String> missing(ServerCheck server, Map<String, String> privileges) throws SQLException {
        List<String> grants = new ArrayList<>();
        for (Map.Entry<String, String> needed : privileges.entrySet()) {
            List<String> missing = new ArrayList<>();
            for (String privilege : needed.getValue().split(", ", -1)) {
                if (!has(needed.getKey(), privilege)) {
                    missing.add(privilege);
                }
            }
            if (!missing.isEmpty()) {
                grants.add(server.grant(connection, missing, needed.getKey()));
            }
        }
        return grants;
    }
}
