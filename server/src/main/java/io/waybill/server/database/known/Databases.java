package io.waybill.server.database.known;

import io.waybill.internal.Secrets;
import io.waybill.server.database.DatabaseAccess;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.jdbc.H2Access;
import io.waybill.server.database.jdbc.MariaDbAccess;
import io.waybill.server.database.jdbc.MySqlAccess;
import io.waybill.server.database.jdbc.PostgresAccess;
import io.waybill.server.database.mongodb.MongoAccess;
import io.waybill.server.problem.Problem;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The supported databases. */
public final class Databases {
    private static final Pattern SCHEME = Pattern.compile("(?:jdbc:)?([a-z0-9+]+):.*", Pattern.DOTALL);

    private static final List<DatabaseAccess> KNOWN =
            List.of(new PostgresAccess(), new MariaDbAccess(), new MySqlAccess(), new H2Access(), new MongoAccess());

    private Databases() {}

    /** Returns the kind of database that commands assume when no database is named. */
    public static DatabaseAccess defaultKind() {
        return KNOWN.get(0);
    }

    public static Optional<DatabaseAccess> of(String scheme) {
        return KNOWN.stream()
                .filter(access -> access.schemes().contains(scheme))
                .findFirst();
    }

    public static List<String> labels() {
        return KNOWN.stream().map(DatabaseAccess::label).toList();
    }

    /** Parses the address of a known database. Explicit user and password override those in the address. */
    public static DatabaseAddress parse(String url, @Nullable String user, @Nullable String password) {
        Matcher scheme = SCHEME.matcher(url);
        return Optional.of(scheme)
                .filter(Matcher::matches)
                .flatMap(found -> of(found.group(1)))
                .orElseThrow(() -> Problem.usage(
                        "Cannot use database '" + Secrets.mask(url) + "'. Use one of " + examples() + "."))
                .address(url, user, password);
    }

    /** Whether the failure comes from a database. */
    public static boolean recognize(Throwable failure) {
        return KNOWN.stream().anyMatch(access -> access.recognizes(failure));
    }

    /** Whether the failure comes from a database that can never store the given data. */
    public static boolean refuseData(Throwable failure) {
        return KNOWN.stream().anyMatch(access -> access.recognizes(failure) && access.refusesData(failure));
    }

    private static String examples() {
        return KNOWN.stream().map(DatabaseAccess::example).collect(Collectors.joining(", "));
    }
}
