package io.waybill.envelope;

import java.util.Map;

/**
 * Writes JSON objects of strings and numbers; core carries no JSON library for so little. Names given to its methods are the
 * program's own and need no escapes.
 */
public final class JsonText {
    private final StringBuilder out;
    private boolean first = true;

    public JsonText(int capacity) {
        this.out = new StringBuilder(capacity);
    }

    /** A flat object, as headers are stored. */
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

    public JsonText open(String name) {
        name(name);
        return open();
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

    /** A text that needs no escapes either, such as a number's, a time's or a UUID's. */
    public JsonText plain(String name, String value) {
        name(name);
        out.append('"').append(value).append('"');
        return this;
    }

    public JsonText field(String name, long value) {
        name(name);
        out.append(value);
        return this;
    }

    /** Copies {@code json} as it is. */
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
        out.append('"');
        int copied = 0; // most texts need no escape and are copied as a whole
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\' || c < 0x20) {
                out.append(text, copied, i);
                if (c < 0x20) {
                    out.append(String.format("\\u%04x", (int) c));
                } else {
                    out.append('\\').append(c);
                }
                copied = i + 1;
            }
        }
        out.append(text, copied, text.length()).append('"');
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
