package io.waybill.server.database;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The supported databases. */
public final class Databases {
    private static final List<DatabaseAccess> KNOWN =
            List.of(new PostgresAccess(), new MariaDbAccess(), new MySqlAccess(), new H2Access());

    private Databases() {}

    public static Optional<DatabaseAccess> of(String scheme) {
        return KNOWN.stream()
                .filter(access -> access.schemes().contains(scheme))
                .findFirst();
    }

    /** An example address of each database, for error messages. */
    static String examples() {
        return KNOWN.stream().map(DatabaseAccess::example).collect(Collectors.joining(", "));
    }
}
