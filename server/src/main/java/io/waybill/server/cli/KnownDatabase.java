package io.waybill.server.cli;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.server.Problem;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The kind of database that a command names without connecting to it. */
final class KnownDatabase {
    static final String OPTION =
            "The kind of database: postgresql, mariadb, mysql or h2; or an address of one (default: postgresql).";

    private KnownDatabase() {}

    static DatabaseProduct named(@Nullable String kind) {
        if (kind == null) {
            return DatabaseProduct.POSTGRESQL;
        }
        String name = kind.replaceFirst("^jdbc:", "").replaceFirst(":.*", "").replaceFirst("^postgres$", "postgresql");
        return DatabaseProduct.of(name)
                .orElseThrow(() -> Problem.usage("There is no schema for '" + kind + "'. Known: "
                        + Stream.of(DatabaseProduct.values())
                                .map(DatabaseProduct::label)
                                .collect(Collectors.joining(", "))
                        + "."));
    }
}
