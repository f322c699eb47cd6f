package io.waybill.jdbc.internal.schema;

import io.waybill.jdbc.DatabaseRole;
import io.waybill.jdbc.Engine;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Who may do what with tables that are about to be replaced: services must go on writing, relays and operators working.
 *
 * @param same grants on tables that both engines have, as they were
 * @param parts who takes which part; the new engine has tables of its own for it
 */
record Grants(List<String> same, List<Part> parts) {

    private record Part(DatabaseRole role, String name) {}

    private static final String SAME = """
            SELECT format('GRANT %s ON %I TO %s%s', a.privilege_type, c.relname,
                          CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
                          CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
            FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
            WHERE c.oid IN ('outbox_events'::regclass, 'outbox_states'::regclass) AND a.grantee <> c.relowner""";

    private static final String HOLDERS = """
            SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
            FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
            WHERE c.oid = '%s'::regclass AND a.privilege_type = '%s' AND a.grantee <> c.relowner""";

    /** A relay is known by its place on the roll, an operator by the right to keep records of what he does. */
    static Grants found(Statement statement) throws SQLException {
        List<Part> parts = new ArrayList<>();
        for (String name : column(statement, HOLDERS.formatted("outbox_relays", "UPDATE"))) {
            parts.add(new Part(DatabaseRole.RELAY, name));
        }
        for (String name : column(statement, HOLDERS.formatted("outbox_audit", "INSERT"))) {
            parts.add(new Part(DatabaseRole.OPERATOR, name));
        }
        return new Grants(column(statement, SAME), List.copyOf(parts));
    }

    void grant(Statement statement, Engine engine) throws SQLException {
        for (String sql : same) {
            statement.execute(sql);
        }
        for (Part part : parts) {
            for (String sql : part.role().grants(engine, part.name())) {
                statement.execute(sql);
            }
        }
    }

    private static List<String> column(Statement statement, String query) throws SQLException {
        List<String> values = new ArrayList<>();
        try (ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                values.add(row.getString(1));
            }
        }
        return values;
    }
}
