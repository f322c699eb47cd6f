package io.waybill.server.cli.schema;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.server.database.DatabaseAccess;
import io.waybill.server.database.Databases;
import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The kind of database for commands that do not connect. */
public final class KnownDatabase {
    public static final String OPTION =
            "Kind of database: ${COMPLETION-CANDIDATES}; or a database URL (default postgresql).";

    private KnownDatabase() {}

    /** The labels, for help texts and completion. */
    public static final class Names extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        public Names() {
            Stream.of(DatabaseProduct.values()).map(DatabaseProduct::label).forEach(this::add);
        }
    }

    public static DatabaseProduct named(@Nullable String kind) {
        if (kind == null) {
            return DatabaseProduct.defaultProduct();
        }
        String name = kind.replaceFirst("^jdbc:", "").replaceFirst(":.*", "");
        return Databases.of(name)
                .map(DatabaseAccess::product)
                .orElseThrow(() -> Problem.usage(
                        "There is no schema for '" + kind + "'. Known: " + String.join(", ", new Names()) + "."));
    }
}
