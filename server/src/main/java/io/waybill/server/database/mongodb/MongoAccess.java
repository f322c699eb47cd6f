package io.waybill.server.database.mongodb;

import com.mongodb.MongoException;
import io.waybill.internal.Secrets;
import io.waybill.jdbc.Engine;
import io.waybill.mongodb.OutboxSchema;
import io.waybill.mongodb.inbox.InboxSchema;
import io.waybill.mongodb.internal.db.MongoErrors;
import io.waybill.server.config.Configuration;
import io.waybill.server.config.Settings;
import io.waybill.server.database.DatabaseAccess;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.database.OutboxDatabase;
import io.waybill.server.database.SchemaText;
import io.waybill.server.problem.Problem;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** MongoDB, with the connection strings of its drivers. */
public final class MongoAccess implements DatabaseAccess {
    /** Scheme, user and password, hosts, name of the database, options. */
    private static final Pattern URL =
            Pattern.compile("(mongodb(?:\\+srv)?://)(?:([^/]*)@)?([^/@?]+)(?:/([^?]*))?(\\?.*)?", Pattern.DOTALL);

    @Override
    public String label() {
        return "mongodb";
    }

    @Override
    public String title() {
        return "MongoDB";
    }

    @Override
    public Set<String> schemes() {
        return Set.of("mongodb", "mongodb+srv");
    }

    @Override
    public String example() {
        return "mongodb://host:port/name";
    }

    @Override
    public DatabaseAddress address(String url, @Nullable String user, @Nullable String password) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw Problem.usage("Cannot read the database address '" + Secrets.mask(url) + "'. Write " + example()
                    + ". Special characters in a password must be percent-encoded; or use database.password.");
        }
        String name = parts.group(4);
        if (name == null || name.isBlank()) {
            throw Problem.usage("The database address '" + Secrets.mask(url) + "' names no database. Write " + example()
                    + ". Users that another database stores need ?authSource=admin.");
        }
        String[] login = parts.group(2) == null ? new String[0] : parts.group(2).split(":", 2);
        String foundUser = user != null || login.length < 1 ? user : decoded(login[0]);
        String foundPassword = password != null || login.length < 2 ? password : decoded(login[1]);
        String options = parts.group(5) == null ? "" : parts.group(5);
        return new DatabaseAddress(
                this,
                parts.group(1) + login(foundUser, foundPassword) + parts.group(3) + "/" + name + options,
                foundUser,
                foundPassword,
                parts.group(3) + "/" + name);
    }

    private static String login(@Nullable String user, @Nullable String password) {
        return user == null ? "" : encoded(user) + (password == null ? "" : ":" + encoded(password)) + "@";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Problem.usage("Cannot read user and password of the database address: special characters must be"
                    + " percent-encoded. Or use database.user and database.password.");
        }
    }

    @Override
    public OutboxDatabase open(DatabaseAddress address, Configuration configuration) {
        return new MongoOutboxDatabase(address);
    }

    @Override
    public void require(Configuration configuration) {
        if (configuration.find(Settings.LAYOUT).isPresent()) {
            throw noLayouts();
        }
        configuration.find(Settings.ENGINE).ifPresent(MongoAccess::require);
    }

    static void require(Engine engine) {
        if (engine != Engine.QUEUE) {
            throw Problem.usage(
                    "The " + engine.label() + " engine needs PostgreSQL, and this is MongoDB, whose documents"
                            + " have a state as in the queue engine. Do not set engine.");
        }
    }

    static Problem noLayouts() {
        return Problem.usage("Layouts serve tables in PostgreSQL, and this is MongoDB. Do not set layout; let services"
                + " insert documents into Waybill's own collection, outbox_events (docs/databases.md).");
    }

    static Problem noSagas() {
        return Problem.usage(
                "Sagas need PostgreSQL, MariaDB, MySQL or H2, and this is MongoDB. Name the database of the"
                        + " sagas with --database.");
    }

    @Override
    public SchemaText outboxSchema(Configuration configuration) {
        require(configuration);
        return new SchemaText(OutboxSchema.script(), grants("shop_service", "shop_relay", "shop_operator"));
    }

    @Override
    public SchemaText inboxSchema() {
        return new SchemaText(InboxSchema.script(), grants("shop_consumer", "shop_operator"));
    }

    @Override
    public SchemaText sagaSchema() {
        throw noSagas();
    }

    private static List<String> grants(String... users) {
        StringBuilder script = new StringBuilder("// MongoDB, for mongosh. Replace the users with your own.");
        for (String user : users) {
            script.append("\ndb.getSiblingDB(\"admin\").grantRolesToUser(\"")
                    .append(user)
                    .append("\", [{role: \"readWrite\", db: db.getName()}]);");
        }
        return script.toString().lines().toList();
    }

    @Override
    public Optional<ShellLine> shellLine(DatabaseAddress address) {
        return Optional.of(new ShellLine(
                "with mongosh, in any transaction",
                "mongosh '" + Secrets.strip(address.url())
                        + "' --eval 'db.outbox_events.insertOne({event_id: crypto.randomUUID(), event_type: \"order.placed\","
                        + " entity_type: \"Order\", entity_id: \"42\", entity_version: 1, topic: \"order.placed\","
                        + " partition_key: \"42\", payload: {total: 10}, status: \"pending\", retry_count: 0, created_at:"
                        + " new Date()})'"));
    }

    @Override
    public boolean recognizes(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof MongoException) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean refusesData(Throwable failure) {
        if (MongoErrors.refusesData(failure)) {
            return true;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof MongoException mongo && MongoErrors.isDuplicateKey(mongo)) {
                return true;
            }
        }
        return false;
    }
}
