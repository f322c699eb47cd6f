package io.waybill.server.database;

import io.waybill.internal.Secrets;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.server.problem.Problem;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a database and the user who connects.
 *
 * @param place host, port and name, for messages; contains no secrets
 */
public record DatabaseAddress(
        DatabaseAccess access,
        String jdbcUrl,
        @Nullable String user,
        @Nullable String password,
        String place) {
    private static final Pattern SCHEME = Pattern.compile("(?:jdbc:)?([a-z0-9]+):.*", Pattern.DOTALL);
    private static final Pattern LOGIN = Pattern.compile("[?&;](user|password)=([^&;]*)", Pattern.CASE_INSENSITIVE);

    /** Parses JDBC URLs and URLs such as {@code postgresql://…}. Explicit user and password override those in the URL. */
    public static DatabaseAddress parse(String url, @Nullable String user, @Nullable String password) {
        Matcher scheme = SCHEME.matcher(url);
        return Optional.of(scheme)
                .filter(Matcher::matches)
                .flatMap(found -> Databases.of(found.group(1)))
                .orElseThrow(() -> Problem.usage(
                        "Cannot use database '" + Secrets.mask(url) + "'. Use one of " + Databases.examples() + "."))
                .address(url, user, password);
    }

    /** Parses the common form: user and password are parameters, and the place precedes the first parameter. */
    static DatabaseAddress read(
            DatabaseAccess access, String address, @Nullable String user, @Nullable String password) {
        String url = address.startsWith("jdbc:") ? address : "jdbc:" + address;
        String foundUser = user;
        String foundPassword = password;
        Matcher login = LOGIN.matcher(url);
        while (login.find()) {
            if (login.group(1).toLowerCase(Locale.ROOT).equals("user")) {
                foundUser = foundUser == null ? login.group(2) : foundUser;
            } else {
                foundPassword = foundPassword == null ? login.group(2) : foundPassword;
            }
        }
        String place = url.replaceFirst("^jdbc:[a-z0-9]+:(//)?", "").replaceFirst("[?;].*", "");
        return new DatabaseAddress(access, url, foundUser, foundPassword, place);
    }

    public DatabaseProduct product() {
        return access.product();
    }

    @Override
    public String toString() {
        return place;
    }
}
