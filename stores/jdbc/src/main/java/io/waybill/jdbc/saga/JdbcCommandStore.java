package io.waybill.jdbc.saga;

import static java.util.Objects.requireNonNull;

import io.waybill.jdbc.DatabaseProduct;
import io.waybill.jdbc.internal.sql.Dialect;
import io.waybill.jdbc.internal.sql.Transactions;
import io.waybill.saga.participant.CommandStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The commands of participants on any {@link DatabaseProduct}, in the table {@code saga_commands} of {@link SagaSchema}. */
public final class JdbcCommandStore implements CommandStore<Connection> {
    private static final String INSERT =
            "INSERT INTO saga_commands (consumer_group, command_id, state) VALUES (?, ?, ?)";

    private static final String LOCK = """
            SELECT state, reply_type, reply_key, reply_payload FROM saga_commands
            WHERE consumer_group = ? AND command_id = ? FOR UPDATE""";

    private final Transactions database;

    private JdbcCommandStore(Transactions database) {
        this.database = database;
    }

    public static JdbcCommandStore on(DataSource dataSource) {
        return new JdbcCommandStore(new Transactions(requireNonNull(dataSource, "dataSource")).forStore());
    }

    /**
     * The INSERT waits for another transaction that inserts the same command. If that one commits, the command is known; its row can
     * only be missing if it was pruned in between, and then this transaction inserts it.
     */
    @Override
    public Optional<Known> putIfAbsent(Connection connection, String group, UUID command, State state) {
        String what = "record command " + command;
        while (true) {
            if (SagaStatements.RUNNER.insert(connection, what, s -> INSERT, group, command, state.name())) {
                return Optional.empty();
            }
            Optional<Known> known =
                    SagaStatements.RUNNER.query(connection, what, s -> LOCK, JdbcCommandStore::known, group, command);
            if (known.isPresent()) {
                return known;
            }
        }
    }

    private static Optional<Known> known(Dialect dialect, ResultSet row) throws SQLException {
        if (!row.next()) {
            return Optional.empty();
        }
        String type = row.getString(2);
        StoredReply reply = type == null ? null : new StoredReply(type, row.getString(3), row.getString(4));
        return Optional.of(new Known(State.valueOf(row.getString(1)), reply));
    }

    @Override
    public void update(Connection connection, String group, UUID command, State state, @Nullable StoredReply reply) {
        SagaStatements.RUNNER.update(
                connection,
                "record the outcome of command " + command,
                s -> s.updateCommand,
                state.name(),
                reply == null ? null : reply.type(),
                reply == null ? null : reply.key(),
                reply == null ? null : reply.payload(),
                state == State.COMPENSATED ? 1 : 0, // the command itself was inserted in this transaction
                group,
                command);
    }

    @Override
    public int prune(String group, Duration age, int limit) {
        String what = "remove old commands of group " + group;
        return database.transaction(
                what,
                connection -> SagaStatements.RUNNER.update(connection, what, s -> s.pruneCommands, group, age, limit));
    }
}
