package io.waybill.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.server.cli.Waybill.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses of MongoDB, without a server. */
class MongoAddressTest {
    private static final String SECRET = "s3cr3t";

    @TempDir
    private Path folder;

    private Result status(String url) {
        return new Waybill(folder).run("status", "--database", url);
    }

    @Test
    void anUnreachableServerIsNamedWithoutItsPassword() {
        Result refused = status("mongodb://shop:" + SECRET + "@127.0.0.1:1/shop?serverSelectionTimeoutMS=300");
        assertThat(refused.exit()).isEqualTo(3);
        assertThat(refused.err())
                .contains("Cannot reach MongoDB at 127.0.0.1:1/shop: connection refused", "--database")
                .doesNotContain(SECRET);
    }

    /** A name that the reserved top-level domain never has. */
    @Test
    void aSeedListWithoutARecordIsAnError() {
        Result refused = status("mongodb+srv://shop:" + SECRET + "@db.invalid/shop");
        assertThat(refused.exit()).isIn(2, 3);
        assertThat(refused.err()).contains("db.invalid").doesNotContain(SECRET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mongodb://shop:s3cr3t@127.0.0.1:1/",
                "mongodb://shop:s3cr3t@127.0.0.1:1",
                "mongodb://shop:s3cr3t%@127.0.0.1:1/shop",
                "mongodb://shop:s3/cr3t@127.0.0.1:1/shop",
                "mongodb://shop:s3cr3t@127.0.0.1:1/shop?tls=true&ssl=false",
                "mongodb://shop:s3cr3t@127.0.0.1:99999/shop"
            })
    void anInvalidAddressIsAUsageErrorWithoutThePassword(String url) {
        Result refused = status(url);
        assertThat(refused.exit()).as(refused.err()).isEqualTo(2);
        assertThat(refused.err())
                .contains("database address")
                .doesNotContain(SECRET)
                .doesNotContain("cr3t");
    }

    @Test
    void theEffectiveSettingsHideThePassword() {
        Result shown = new Waybill(folder)
                .with("WAYBILL_DATABASE_URL", "mongodb://shop:" + SECRET + "@db1,db2/shop?replicaSet=rs0")
                .run("config");
        assertThat(shown.out()).contains("mongodb://shop:********@db1,db2/shop").doesNotContain(SECRET);
    }

    @Test
    void theSchemaIsPrintedAsAScript() {
        assertThat(new Waybill(folder)
                        .run("schema", "print", "--database", "mongodb")
                        .out())
                .contains("db.createCollection(\"outbox_events\")", "createIndex");
        assertThat(new Waybill(folder)
                        .run("inbox", "schema", "print", "--database", "mongodb+srv://db/shop")
                        .out())
                .contains("db.createCollection(\"processed_events\")");
        assertThat(new Waybill(folder)
                        .run("schema", "print", "--database", "mongodb", "--grants")
                        .out())
                .contains("grantRolesToUser(\"shop_relay\", [{role: \"readWrite\"");
        Result sagas = new Waybill(folder).run("sagas", "schema", "print", "--database", "mongodb");
        assertThat(sagas.exit()).isEqualTo(2);
    }
}
