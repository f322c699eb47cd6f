package io.waybill.jdbc.layout;

import io.waybill.jdbc.internal.sql.Sql;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The value of one line of a layout.
 *
 * @param line the number of the line, for error messages
 * @param optional whether the table may lack the column; written as a question mark after its name
 */
public record LayoutEntry(String text, int line, boolean optional) {
    public static final String IDENTIFIER = Sql.IDENTIFIER;

    private static final Pattern COLUMN = Pattern.compile(IDENTIFIER);

    /** Whether the value is a column; any other value is an SQL expression. */
    boolean isColumn() {
        return isColumn(text);
    }

    static boolean isColumn(String text) {
        return COLUMN.matcher(text).matches();
    }

    /** The identifier as it appears in the catalog of the database. */
    static String catalogued(String identifier) {
        return identifier.startsWith("\"")
                ? identifier.substring(1, identifier.length() - 1)
                : identifier.toLowerCase(Locale.ROOT);
    }
}
