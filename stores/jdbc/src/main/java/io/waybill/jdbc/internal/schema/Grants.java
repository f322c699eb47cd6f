package io.waybill.jdbc.internal.schema;

import io.waybill.jdbc.DatabaseRole;
import io.waybill.jdbc.Engine;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The grants on tables that a migration replaces, so that services, relays and operators keep their privileges.
 *
 * @param shared the GRANT statements for tables that both engines have
 * @param members the database users that act as relays or operators; they need privileges on the tables of the new engine
 */
record Grants(List<String> shared, List<Member> members) {

    private record Member(DatabaseRole role, String name) {}

    private static final String SHARED = """
            SELECT format('GRANT %s ON %I TO %s%s', a.privilege_type, c.relname,
                          CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
                          CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
            FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
            WHERE c.oid IN ('outbox_events'::regclass, 'outbox_states'::regclass) AND a.grantee <> c.relowner""";

    private static final String HOLDERS = """
            SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
            FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a
            WHERE c.oid = '%s'::regclass AND a.privilege_type = '%s' AND a.grantee <> c.relowner""";

    /** Reads the grants. Users with UPDATE on outbox_relays are relays; users with INSERT on outbox_audit are operators. */
    static Grants read(Statement statement) throws SQLException {
        List<Member> members = new ArrayList<>();
        for (String name : column(statement, HOLDERS.formatted("outbox_relays", "UPDATE"))) {
            members.add(new Member(DatabaseRole.RELAY, name));
        }
        for (String name : column(statement, HOLDERS.formatted("outbox_audit", "INSERT"))) {
            members.add(new Member(DatabaseRole.OPERATOR, name));
        }
        return new Grants(column(statement, SHARED), List.copyOf(members));
    }

    void grant(Statement statement, Engine engine) throws SQLException {
        for (String sql : shared) {
            statement.execute(sql);
        }
        for (Member member : members) {
            for (String sql : member.role().grants(engine, member.name())) {
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
