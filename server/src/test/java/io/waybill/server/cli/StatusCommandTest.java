package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.server.cli.Waybill.Result;
import io.waybill.server.cli.command.Json;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusCommandTest {
    @TempDir
    Path folder;

    @Test
    void aRelayThatDoesNotReachItsBrokerIsShownAsNotServing() throws SQLException {
        String url = "jdbc:h2:" + folder.resolve("outbox");
        Waybill waybill = new Waybill(folder).with("WAYBILL_DATABASE_URL", url);
        assertThat(waybill.run("schema", "apply").exit()).isZero();
        try (Connection connection = DriverManager.getConnection(url + ";AUTO_SERVER=TRUE");
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO outbox_relays (name, place, version, expires_at, serving) VALUES"
                    + " ('cut-off', 'here', '1', DATEADD(MINUTE, 5, current_timestamp), false),"
                    + " ('healthy', 'here', '1', DATEADD(MINUTE, 5, current_timestamp), true)");
        }
        assertThat(waybill.run("status").out())
                .containsPattern("cut-off +not serving")
                .containsPattern("healthy +live");
        Result json = waybill.run("status", "--json");
        assertThat(Json.MAPPER.readTree(json.out()).get("relays").findValuesAsString("serving"))
                .containsExactly("false", "true");
    }
}
