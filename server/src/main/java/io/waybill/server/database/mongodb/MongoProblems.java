package io.waybill.server.database.mongodb;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoTimeoutException;
import io.waybill.mongodb.internal.db.MongoErrors;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.util.Locale;
import java.util.Optional;

/** Turns exceptions of the driver into problems for the user of the program. A message names the address, the cause and the remedy. */
final class MongoProblems {
    private static final int UNAUTHORIZED = 13;
    private static final int AUTHENTICATION_FAILED = 18;
    private static final int NO_TRANSACTIONS = 20;

    private MongoProblems() {}

    static Problem explain(Throwable failure, DatabaseAddress address) {
        if (failure instanceof Problem problem) {
            return problem;
        }
        Optional<MongoException> mongo = find(failure, MongoException.class);
        if (mongo.isEmpty()) {
            return new Problem(Exit.FAILED, String.valueOf(failure.getMessage()), failure);
        }
        return new Problem(Exit.DATABASE, sentence(mongo.get(), failure, address), failure);
    }

    private static <T extends Throwable> Optional<T> find(Throwable failure, Class<T> type) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return Optional.of(type.cast(cause));
            }
        }
        return Optional.empty();
    }

    /** Whether a later attempt may succeed. A refused login stays refused. */
    static boolean isTransient(Throwable failure) {
        return MongoErrors.isOutage(failure)
                && find(failure, MongoSecurityException.class).isEmpty()
                && find(failure, MongoTimeoutException.class)
                        .filter(timeout -> isRefusedLogin(timeout) || hasWrongSetName(timeout))
                        .isEmpty();
    }

    static boolean lacksPrivilege(Throwable failure) {
        return find(failure, MongoException.class)
                .filter(e -> e.getCode() == UNAUTHORIZED)
                .isPresent();
    }

    /** The driver reports the errors of its connections only in the text of its timeout. */
    private static boolean isRefusedLogin(MongoTimeoutException e) {
        return String.valueOf(e.getMessage()).contains("MongoSecurityException");
    }

    private static boolean hasWrongSetName(MongoTimeoutException e) {
        return String.valueOf(e.getMessage()).contains("does not match required replica set name");
    }

    private static String sentence(MongoException e, Throwable failure, DatabaseAddress address) {
        String user = address.user() == null ? "this user" : "user " + address.user();
        if (e instanceof MongoSecurityException || e.getCode() == AUTHENTICATION_FAILED) {
            return refused(address, user);
        }
        if (e instanceof MongoTimeoutException timeout) {
            return isRefusedLogin(timeout) ? refused(address, user) : unreachable(timeout, address);
        }
        if (e.getCode() == UNAUTHORIZED) {
            return "A privilege is missing for " + user + " in " + address + ": " + text(e)
                    + ". Grant it the role readWrite on this database (`waybill schema print --database mongodb --grants`).";
        }
        if (e.getCode() == NO_TRANSACTIONS) {
            return "MongoDB at " + address
                    + " is a standalone server, and Waybill needs transactions. Run it as a replica"
                    + " set; one member is enough (mongod --replSet and rs.initiate()).";
        }
        if (MongoErrors.isOutage(e)) {
            return "Cannot reach MongoDB at " + address + ": " + text(e) + ". Start it, or correct --database.";
        }
        return failure instanceof MongoException || failure.getMessage() == null
                ? "MongoDB at " + address + " failed: " + text(e) + "."
                : failure.getMessage();
    }

    private static String refused(DatabaseAddress address, String user) {
        return "MongoDB at " + address + " refused the login of " + user
                + ". Correct database.user or database.password (WAYBILL_DATABASE_PASSWORD), or add"
                + " ?authSource= with the database that stores the user.";
    }

    private static String unreachable(MongoTimeoutException e, DatabaseAddress address) {
        String text = String.valueOf(e.getMessage());
        if (hasWrongSetName(e)) {
            return "MongoDB at " + address + " belongs to another replica set. Correct replicaSet= in --database.";
        }
        if (text.contains("type=REPLICA_SET_SECONDARY")) {
            return "The replica set at " + address + " has no primary at the moment. Check it with rs.status().";
        }
        String lower = text.toLowerCase(Locale.ROOT);
        String reason = lower.contains("unknownhost")
                ? "unknown host"
                : lower.contains("connection refused")
                        ? "connection refused"
                        : lower.contains("ssl") || lower.contains("end-of-stream") || lower.contains("prematurely")
                                ? "the server ends the connection, as it does if only one side uses TLS (tls=true)"
                                : "no answer in time";
        return "Cannot reach MongoDB at " + address + ": " + reason + ". Start it, or correct --database.";
    }

    private static String text(MongoException e) {
        String text = e instanceof MongoCommandException command ? command.getErrorMessage() : e.getMessage();
        return String.valueOf(text).lines().findFirst().orElse("").replaceFirst("\\.$", "");
    }
}
