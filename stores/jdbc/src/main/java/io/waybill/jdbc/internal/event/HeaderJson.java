package io.waybill.jdbc.internal.event;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the headers column: a JSON object whose values should be strings, but may be anything that a writer in SQL put there. A
 * number or a boolean becomes a header with its text, an object or an array a header with its JSON. A null is left out.
 *
 * <p>Any other text becomes a single header named {@code headers}. The reader never throws, because a row that cannot be read would
 * stop its lane. It is not a general JSON parser: PostgreSQL and MariaDB have checked the syntax, and only the outermost object is
 * parsed.
 */
public final class HeaderJson {
    private static final Pattern NUMBER_OR_BOOLEAN =
            Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false");

    /** The end of the text. A NUL character in the text cannot be mistaken for it: JSON does not allow one outside of an escape. */
    private static final char END = '\0';

    private final String json;
    private int position;

    private HeaderJson(String json) {
        this.json = json;
    }

    public static Map<String, String> parse(String json) {
        try {
            return new HeaderJson(json).object();
        } catch (NoObjectException e) {
            return Map.of("headers", json);
        }
    }

    private Map<String, String> object() throws NoObjectException {
        Map<String, String> headers = new LinkedHashMap<>();
        skip('{');
        if (next() != '}') {
            member(headers);
            while (next() == ',') {
                position++;
                member(headers);
            }
        }
        skip('}');
        if (next() != END || position < json.length()) {
            throw new NoObjectException();
        }
        return headers;
    }

    private void member(Map<String, String> headers) throws NoObjectException {
        String name = string();
        skip(':');
        String value = value();
        if (value != null) {
            headers.put(name, value);
        }
    }

    private @Nullable String value() throws NoObjectException {
        return switch (next()) {
            case '"' -> string();
            case '{', '[' -> structure();
            default -> literal();
        };
    }

    private @Nullable String literal() throws NoObjectException {
        int start = position;
        while (Character.isLetterOrDigit(current()) || "+-.".indexOf(current()) >= 0) {
            position++;
        }
        String literal = json.substring(start, position);
        if (literal.equals("null")) {
            return null;
        }
        if (!NUMBER_OR_BOOLEAN.matcher(literal).matches()) {
            throw new NoObjectException();
        }
        return literal;
    }

    /** Returns the JSON of an object or an array. A loop, because recursion would limit the depth. */
    private String structure() throws NoObjectException {
        int start = position;
        int depth = 0;
        do {
            switch (current()) {
                case '"' -> string();
                case '{', '[' -> {
                    depth++;
                    position++;
                }
                case '}', ']' -> {
                    depth--;
                    position++;
                }
                case END -> throw new NoObjectException();
                default -> position++;
            }
        } while (depth > 0);
        return json.substring(start, position);
    }

    private String string() throws NoObjectException {
        skip('"');
        int start = position;
        while (current() != '"' && current() != '\\' && current() >= ' ') {
            position++;
        }
        if (current() == '"') {
            return json.substring(start, position++);
        }
        StringBuilder text = new StringBuilder().append(json, start, position);
        while (current() != '"') {
            if (current() < ' ') {
                throw new NoObjectException();
            }
            text.append(current() == '\\' ? escape() : json.charAt(position++));
        }
        position++;
        return text.toString();
    }

    private char escape() throws NoObjectException {
        position++;
        char escaped = current();
        position++;
        return switch (escaped) {
            case '"', '\\', '/' -> escaped;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> (char) (hex() << 12 | hex() << 8 | hex() << 4 | hex());
            default -> throw new NoObjectException();
        };
    }

    private int hex() throws NoObjectException {
        char digit = current();
        int value = digit < 0x80 ? Character.digit(digit, 16) : -1;
        if (value < 0) {
            throw new NoObjectException();
        }
        position++;
        return value;
    }

    /** Skips white space and then the expected character. */
    private void skip(char expected) throws NoObjectException {
        if (next() != expected) {
            throw new NoObjectException();
        }
        position++;
    }

    /** Skips white space and returns the character after it. */
    private char next() {
        while (current() == ' ' || current() == '\n' || current() == '\r' || current() == '\t') {
            position++;
        }
        return current();
    }

    private char current() {
        return position < json.length() ? json.charAt(position) : END;
    }

    /** The text is not a JSON object. */
    private static final class NoObjectException extends Exception {
        private static final long serialVersionUID = 1;

        NoObjectException() {
            super(null, null, false, false);
        }
    }
}
