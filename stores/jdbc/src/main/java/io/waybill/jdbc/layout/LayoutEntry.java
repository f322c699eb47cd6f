package io.waybill.jdbc.layout;

import io.waybill.jdbc.internal.sql.Sql;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What a line of a layout says.
 *
 * @param optional whether the column may be missing, as a question mark behind its name tells
 */
public record LayoutEntry(String text, int line, boolean optional) {
    public static final String IDENTIFIER = Sql.IDENTIFIER;

    private static final Pattern COLUMN = Pattern.compile(IDENTIFIER);

    /** A name alone is a column; all else is an expression over columns. */
    boolean isColumn() {
        return isColumn(text);
    }

    static boolean isColumn(String text) {
        return COLUMN.matcher(text).matches();
    }

    /** The name as the database's catalogue has it. */
    static String catalogued(String identifier) {
        return identifier.startsWith("\"")
                ? identifier.substring(1, identifier.length() - 1)
                : identifier.toLowerCase(Locale.ROOT);
    }
}
