package io.waybill.examples.quality;

import static io.waybill.examples.quality.Rows.awaitCount;
import static io.waybill.examples.quality.Rows.count;
import static io.waybill.examples.quality.Rows.handled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** The database refuses to change rows of the audit log. */
class AppendOnlyTest {
    private final Service service = Service.shared();
    private final JdbcTemplate jdbc = service.jdbc();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE audit_log SET actor = 'nobody'",
                "DELETE FROM audit_log",
                "TRUNCATE audit_log",
                "SET session_replication_role = replica; DELETE FROM audit_log",
                "INSERT INTO audit_log (id, actor, action, entity_type, entity_id, meta_json)"
                        + " SELECT id, actor, action, entity_type, entity_id, meta_json FROM audit_log LIMIT 1"
                        + " ON CONFLICT (id) DO UPDATE SET actor = 'nobody'"
            })
    void rowsOfTheAuditLogCanBeAddedAndNotChanged(String statement) {
        long nc = service.api().nonconformity(service.api().supplier("Audited " + statement.hashCode()), "low");
        awaitCount(jdbc, 1, handled("NC_CREATED", "NonConformity", nc));
        assertThatThrownBy(() -> jdbc.execute(statement)).rootCause().hasMessageContaining("audit_log is append-only");
        assertThat(count(jdbc, handled("NC_CREATED", "NonConformity", nc))).isEqualTo(1);
    }
}
