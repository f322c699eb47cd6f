package io.waybill.server.database.jdbc;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.DatabaseRole;
import io.waybill.jdbc.Engine;
import io.waybill.jdbc.OutboxSchema;
import io.waybill.jdbc.UnsupportedByDatabaseException;
import io.waybill.jdbc.inbox.InboxRole;
import io.waybill.jdbc.inbox.InboxSchema;
import io.waybill.jdbc.internal.sql.SqlState;
import io.waybill.jdbc.layout.Layout;
import io.waybill.jdbc.layout.LayoutSchema;
import io.waybill.jdbc.saga.SagaRole;
import io.waybill.jdbc.saga.SagaSchema;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.database.DatabaseAccess;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.OutboxTables;
import io.waybill.server.database.SchemaText;
import io.waybill.server.problem.Problem;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database with a JDBC driver. A subclass provides the addresses, the driver, the checks and the remedies of one kind. */
abstract class JdbcAccess implements DatabaseAccess {
    private static final Pattern LOGIN = Pattern.compile("[?&;](user|password)=([^&;]*)", Pattern.CASE_INSENSITIVE);

    abstract DatabaseProduct product();

    abstract DataSource connect(DatabaseAddress address, ConnectionOptions options) throws SQLException;

    /** The checks of {@code waybill doctor}. */
    abstract ServerCheck check();

    /** The shell command of {@link #shellLine}. */
    abstract Optional<String> sqlShell(DatabaseAddress address);

    /** Whether pooled connections are in auto-commit mode. False where switching the mode takes a round trip. */
    boolean autoCommit() {
        return true;
    }

    /**
     * Options of new connections. Parameters in the address override them.
     *
     * @param answerSeconds the time limit for a statement; 0 for no limit
     * @param schema the schema of Waybill's tables; null for the default schema of connections
     * @param mayCreate whether a missing database is created, if this kind of database can do that
     */
    record ConnectionOptions(
            int connectSeconds, int answerSeconds, @Nullable String schema, boolean mayCreate) {}

    /** The first line of the server's message, without the additions of the driver. */
    String serverMessage(SQLException e) {
        String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }

    /** The remedy when the server rejects a user. */
    String loginRemedy() {
        return "Create the user, or correct database.user.";
    }

    /** The remedy when the database does not exist. */
    String createRemedy(DatabaseAddress address) {
        String name = address.place().replaceFirst(".*/", "");
        return "Create it (CREATE DATABASE " + name + "), or correct the name in --database.";
    }

    @Override
    public final String label() {
        return product().label();
    }

    @Override
    public final String title() {
        return product().title();
    }

    @Override
    public final JdbcDatabase open(DatabaseAddress address, Configuration configuration) {
        return new JdbcDatabase(
                this,
                address,
                OutboxTables.layout(configuration).map(Layout::schema).orElse(null));
    }

    @Override
    public final void require(Configuration configuration) {
        Optional<Engine> engine = configuration.find(Settings.ENGINE);
        OutboxTables.layout(configuration).ifPresent(layout -> {
            product().requireLayouts();
            if (engine.equals(Optional.of(Engine.JOURNAL))) {
                throw Problem.usage(
                        "Layout " + layout.name() + " is served by the queue engine. Remove the setting engine.");
            }
        });
        engine.ifPresent(product()::require);
    }

    /** @throws UnsupportedByDatabaseException if the configured layout or engine does not run on this database */
    @Override
    public final SchemaText outboxSchema(Configuration configuration) {
        Engine engine =
                configuration.find(Settings.ENGINE).orElse(product().engines().get(0));
        Optional<Layout> layout = OutboxTables.layout(configuration);
        if (layout.isPresent()) {
            product().requireLayouts();
            return new SchemaText(LayoutSchema.sql(layout.get()), LayoutSchema.grants(layout.get(), "shop_relay"));
        }
        List<String> grants = new ArrayList<>();
        grants.add("-- " + title() + ", " + engine.label() + " engine. Replace the roles with your own.");
        grants.addAll(DatabaseRole.WRITER.grants(product(), engine, "shop_service"));
        grants.addAll(DatabaseRole.RELAY.grants(product(), engine, "shop_relay"));
        grants.addAll(DatabaseRole.OPERATOR.grants(product(), engine, "shop_operator"));
        return new SchemaText(OutboxSchema.sql(product(), engine), grants);
    }

    @Override
    public final SchemaText inboxSchema() {
        List<String> grants = grants();
        grants.addAll(InboxRole.CONSUMER.grants(product(), "shop_consumer"));
        grants.addAll(InboxRole.OPERATOR.grants(product(), "shop_operator"));
        return new SchemaText(InboxSchema.sql(product()), grants);
    }

    @Override
    public final SchemaText sagaSchema() {
        List<String> grants = grants();
        grants.addAll(SagaRole.ENGINE.grants(product(), "shop_service"));
        grants.addAll(SagaRole.PARTICIPANT.grants(product(), "shop_participant"));
        grants.addAll(SagaRole.OPERATOR.grants(product(), "shop_operator"));
        return new SchemaText(SagaSchema.sql(product()), grants);
    }

    private List<String> grants() {
        return new ArrayList<>(List.of("-- " + title() + ". Replace the roles with your own."));
    }

    @Override
    public final Optional<ShellLine> shellLine(DatabaseAddress address) {
        return sqlShell(address).map(line -> new ShellLine("with plain SQL, in any transaction", line));
    }

    @Override
    public final boolean recognizes(Throwable failure) {
        return SqlProblems.sql(failure).isPresent();
    }

    /** SQLSTATE classes for invalid data, violated constraints (such as a duplicate id) and exceeded limits. */
    @Override
    public final boolean refusesData(Throwable failure) {
        return SqlProblems.sql(failure)
                .filter(sql -> SqlState.refusesData(SqlState.of(sql)))
                .isPresent();
    }

    /** Parses the common form: user and password are parameters, and the place precedes the first parameter. */
    final DatabaseAddress read(String address, @Nullable String user, @Nullable String password) {
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
        return new DatabaseAddress(this, url, foundUser, foundPassword, place);
    }

    /**
     * A plain INSERT, escaped for use between double quotes in a shell.
     *
     * @param id the SQL expression for a random id
     */
    static String exampleInsert(String id) {
        return "\"INSERT INTO outbox_events (id, aggregate_type, aggregate_id, event_type, payload) VALUES (" + id
                + ", 'Order', '42', 'order.placed', '{\\\"total\\\":10}')\"";
    }
}
