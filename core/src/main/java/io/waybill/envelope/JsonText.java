package io.waybill.envelope;

import java.util.Map;

/** Writes JSON objects of strings and numbers; core carries no JSON library for so little. */
public final class JsonText {
    private final StringBuilder out;
    private boolean first = true;

    public JsonText(int capacity) {
        this.out = new StringBuilder(capacity);
    }

    /** A flat object, as headers are stored. */
    public static String object(Map<String, String> fields) {
        JsonText json = new JsonText(32 * fields.size() + 2).open();
        fields.forEach(json::field);
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
        if (!first) {
            out.append(',');
        }
        first = false;
        quote(name);
        out.append(':');
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
