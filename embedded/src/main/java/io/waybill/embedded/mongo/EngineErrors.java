package io.waybill.embedded.mongo;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonDocument;

/** Translates the engine's SQLSTATEs to the error codes of MongoDB. An unknown one becomes InternalError. */
final class EngineErrors {
    static final int DUPLICATE_KEY = 11_000;
    static final int CURSOR_NOT_FOUND = 43;
    static final int NAMESPACE_EXISTS = 48;
    static final int NAMESPACE_NOT_FOUND = 26;
    static final int COMMAND_NOT_FOUND = 59;
    static final int TRANSACTION_TOO_OLD = 225;
    static final int NO_SUCH_TRANSACTION = 251;
    private static final int WRITE_CONFLICT = 112;
    private static final int INTERNAL_ERROR = 1;

    private static final Pattern INDEX = Pattern.compile("Index '([^']+)'");

    private static final Map<String, Integer> CODES = new HashMap<>();
    private static final Map<Integer, String> NAMES = new HashMap<>();

    static {
        String table = """
                M0001 2 BadValue
                M0003 9 FailedToParse
                M0004 14 TypeMismatch
                M0006 20 IllegalOperation
                M0008 26 NamespaceNotFound
                M0009 27 IndexNotFound
                M000A 28 PathNotViable
                M000D 40 ConflictingUpdateOperators
                M000E 43 CursorNotFound
                M000F 48 NamespaceExists
                M000M 66 ImmutableField
                M000N 67 CannotCreateIndex
                M000P 72 InvalidOptions
                M000Q 73 InvalidNamespace
                M000R 85 IndexOptionsConflict
                M000S 86 IndexKeySpecsConflict
                M000U 115 CommandNotSupported
                M00CO 121 DocumentFailedValidation
                M0016 263 OperationNotSupportedInTransaction
                M001B 10334 BSONObjectTooLarge
                M001C 11000 DuplicateKey
                23505 11000 DuplicateKey
                23P01 11000 DuplicateKey
                57014 50 MaxTimeMSExpired
                - 1 InternalError
                - 59 CommandNotFound
                - 112 WriteConflict
                - 225 TransactionTooOld
                - 251 NoSuchTransaction
                """;
        table.lines().forEach(line -> {
            String[] part = line.split(" ", -1);
            CODES.put(part[0], Integer.valueOf(part[1]));
            NAMES.put(Integer.valueOf(part[1]), part[2]);
        });
    }

    private EngineErrors() {}

    static String name(int code) {
        return NAMES.getOrDefault(code, "Location" + code);
    }

    /** Whether the connection is lost: the server shuts down or starts, or the transaction was idle too long. */
    static boolean isGone(SQLException e) {
        return String.valueOf(e.getSQLState()).matches("08...|57P0.|25P03");
    }

    /** A serialization failure, a deadlock or a lock timeout, or another transaction created the same collection. */
    static boolean isConflict(SQLException e) {
        return String.valueOf(e.getSQLState()).matches("40001|40P01|55P03")
                || String.valueOf(e.getMessage()).contains("Unable to create the specified collection");
    }

    static CommandError translate(SQLException e, String database, BsonDocument command, boolean inTransaction) {
        if (isConflict(e)) {
            return new CommandError(WRITE_CONFLICT, "WriteConflict: " + e.getMessage(), inTransaction);
        }
        String state = String.valueOf(e.getSQLState());
        int code = CODES.getOrDefault(state, INTERNAL_ERROR);
        if (code != DUPLICATE_KEY) {
            String suffix = code == INTERNAL_ERROR ? " [SQLSTATE " + state + "]" : "";
            return new CommandError(code, e.getMessage() + suffix, false);
        }
        Matcher index = INDEX.matcher(String.valueOf(e.getMessage()));
        String collection = command.getString(command.getFirstKey()).getValue();
        return new CommandError(
                code,
                "E11000 duplicate key error collection: " + database + "." + collection
                        + (index.find() ? " index: " + index.group(1) : "") + " dup key: " + e.getMessage(),
                false);
    }

    /** Returns the SQLSTATE that the engine has packed into an int, six bits for each character. */
    static String sqlState(int packed) {
        StringBuilder state = new StringBuilder();
        for (int i = 0, bits = packed; i < 5; i++, bits >>= 6) {
            state.append((char) ('0' + (bits & 63)));
        }
        return state.toString();
    }
}
