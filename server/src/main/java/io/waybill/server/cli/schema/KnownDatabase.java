package io.waybill.server.cli.schema;

import io.waybill.server.database.DatabaseAccess;
import io.waybill.server.database.known.Databases;
import io.waybill.server.problem.Problem;
import java.util.ArrayList;
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
            super(Databases.labels());
        }
    }

    public static DatabaseAccess named(@Nullable String kind) {
        if (kind == null) {
            return Databases.defaultKind();
        }
        String name = kind.replaceFirst("^jdbc:", "").replaceFirst(":.*", "");
        return Databases.of(name)
                .orElseThrow(() -> Problem.usage(
                        "There is no schema for '" + kind + "'. Known: " + String.join(", ", new Names()) + "."));
    }
}
