package io.waybill.envelope;

import java.util.Map;

/**
 * Writes JSON objects of strings. A JSON library would be a large dependency for this. Field names are not escaped: they must be
 * constants of the program.
 */
public final class JsonText {
    private final StringBuilder out;
    private boolean first = true;

    public JsonText(int capacity) {
        this.out = new StringBuilder(capacity);
    }

    /** Returns a flat JSON object, the format in which headers are stored. */
    public static String object(Map<String, String> fields) {
        JsonText json = new JsonText(32 * fields.size() + 2).open();
        fields.forEach((name, value) -> {
            json.comma();
            json.quote(name);
            json.out.append(':');
            json.quote(value);
        });
        return json.close().toString();
    }

    public JsonText open() {
        out.append('{');
        first = true;
        return this;
    }

    public JsonText close() {
        out.append('}');
        first = false;
        return this;
    }

    public JsonText field(String name, String value) {
        name(name);
        quote(value);
        return this;
    }

    /** Adds a field whose value is already JSON. */
    public JsonText raw(String name, String json) {
        name(name);
        out.append(json);
        return this;
    }

    private void name(String name) {
        comma();
        out.append('"').append(name).append("\":");
    }

    private void comma() {
        if (!first) {
            out.append(',');
        }
        first = false;
    }

    private void quote(String text) {
        out.append('"').append(escaped(text)).append('"');
    }

    /** Returns the content of a JSON string, without quotes. Most texts need no escapes and are returned unchanged. */
    static String escaped(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (needsEscape(text.charAt(i))) {
                return escaped(text, i);
            }
        }
        return text;
    }

    private static String escaped(String text, int first) {
        StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, first);
        for (int i = first; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x20) {
                escaped.append(String.format("\\u%04x", (int) c));
            } else if (needsEscape(c)) {
                escaped.append('\\').append(c);
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    private static boolean needsEscape(char c) {
        return c == '"' || c == '\\' || c < 0x20;
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
