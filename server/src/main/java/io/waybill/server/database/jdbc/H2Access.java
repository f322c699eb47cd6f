package io.waybill.server.database.jdbc;

import io.waybill.internal.Secrets;
import io.waybill.jdbc.DatabaseProduct;
import io.waybill.server.database.DatabaseAddress;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.h2.Driver;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;

/** H2, usually in a file. */
public final class H2Access extends JdbcAccess {
    private static final Pattern RELATIVE_FILE =
            Pattern.compile("(jdbc:)?h2:(?:file:)?(\\.[^;]*)(;.*|)", Pattern.DOTALL);

    @Override
    DatabaseProduct product() {
        return DatabaseProduct.H2;
    }

    @Override
    public String example() {
        return "jdbc:h2:./file";
    }

    /** Makes a relative path absolute, so that a command in another folder finds the same file. */
    @Override
    public DatabaseAddress address(String url, @Nullable String user, @Nullable String password) {
        Matcher file = RELATIVE_FILE.matcher(url);
        String absolute = file.matches()
                ? "jdbc:h2:" + Path.of(file.group(2)).toAbsolutePath().normalize() + file.group(3)
                : url;
        return read(absolute, user, password);
    }

    @Override
    DataSource connect(DatabaseAddress address, ConnectionOptions options) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(options.mayCreate() ? shared(address.url()) : existing(address.url()));
        source.setUser(address.user() == null ? "" : address.user());
        source.setPassword(address.password() == null ? "" : address.password());
        return source;
    }

    /** Lets other commands on this machine open the same file at the same time. */
    private static String shared(String url) {
        return url.matches("jdbc:h2:(mem|tcp|ssl|zip):.*") ? url : withDefault(url, "AUTO_SERVER");
    }

    /**
     * Refuses to create a missing file. Otherwise a mistyped name would look like an outbox without tables.
     */
    private static String existing(String url) {
        return inMemory(url) ? url : withDefault(shared(url), "IFEXISTS");
    }

    private static boolean inMemory(String url) {
        return url.startsWith("jdbc:h2:mem:");
    }

    private static String withDefault(String url, String name) {
        return url.toUpperCase(Locale.ROOT).contains(";" + name + "=") ? url : url + ";" + name + "=TRUE";
    }

    @Override
    ServerCheck check() {
        return new H2Check();
    }

    /** Uses the shell in the H2 jar of this program. */
    @Override
    Optional<String> sqlShell(DatabaseAddress address) {
        CodeSource jar = Driver.class.getProtectionDomain().getCodeSource();
        if (jar == null || inMemory(address.url())) {
            return Optional.empty();
        }
        return Optional.of("java -cp '" + jar.getLocation().getPath() + "' org.h2.tools.Shell -url '"
                + Secrets.strip(existing(address.url())) + "' -user '"
                + (address.user() == null ? "" : address.user())
                + "'"
                + (address.password() == null ? "" : " -password \"$WAYBILL_DATABASE_PASSWORD\"")
                + " -sql " + exampleInsert("random_uuid()"));
    }

    @Override
    String createRemedy(DatabaseAddress address) {
        return "Create it with `waybill schema apply`, or with `waybill up --apply-schema`; or correct the name in"
                + " --database.";
    }
}
