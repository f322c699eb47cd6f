package io.waybill.server.database;

import io.waybill.jdbc.DatabaseProduct;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;

/** H2, in a file as a rule. */
final class H2Access implements DatabaseAccess {
    private static final Pattern RELATIVE_FILE =
            Pattern.compile("(jdbc:)?h2:(?:file:)?(\\.[^;]*)(;.*|)", Pattern.DOTALL);

    @Override
    public DatabaseProduct product() {
        return DatabaseProduct.H2;
    }

    @Override
    public String example() {
        return "jdbc:h2:./file";
    }

    /** Another command, in another folder, must find the same file. */
    @Override
    public DatabaseAddress address(String url, @Nullable String user, @Nullable String password) {
        Matcher file = RELATIVE_FILE.matcher(url);
        String wherever = file.matches()
                ? "jdbc:h2:" + Path.of(file.group(2)).toAbsolutePath().normalize() + file.group(3)
                : url;
        return DatabaseAddress.read(this, wherever, user, password);
    }

    /**
     * A file is shared with other commands that are run meanwhile. One that is not there would be created by whoever asks for it:
     * a mistyped name would look like an outbox that nobody has set up yet.
     */
    @Override
    public DataSource connect(DatabaseAddress address, Wish wish) {
        JdbcDataSource source = new JdbcDataSource();
        String url = address.jdbcUrl();
        if (!url.matches("jdbc:h2:(mem|tcp|ssl|zip):.*")) {
            url = unlessSaid(url, "AUTO_SERVER");
        }
        if (!wish.mayCreate() && !url.startsWith("jdbc:h2:mem:")) {
            url = unlessSaid(url, "IFEXISTS");
        }
        source.setURL(url);
        source.setUser(address.user() == null ? "" : address.user());
        source.setPassword(address.password() == null ? "" : address.password());
        return source;
    }

    private static String unlessSaid(String url, String name) {
        return url.toUpperCase(Locale.ROOT).contains(";" + name + "=") ? url : url + ";" + name + "=TRUE";
    }

    @Override
    public ServerCheck check() {
        return new H2Check();
    }

    @Override
    public String create(DatabaseAddress address) {
        return "Create it with `waybill schema apply`, or correct the name in --database.";
    }
}
