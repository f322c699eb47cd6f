package io.waybill.nats;

import java.util.regex.Pattern;

/** Maps topics to subjects and back: a subject is the stream's name, a dot and the percent-encoded topic. */
final class Subjects {
    private static final Pattern EMPTY_TOKEN = Pattern.compile("^\\.|(?<=\\.)\\.|\\.$");

    private Subjects() {}

    /** Dots of the topic separate tokens of the subject. Wildcards and empty tokens are encoded. */
    static String subject(String stream, String topic) {
        String encoded = PercentEncoding.encode(topic, c -> c != '*' && c != '>');
        return stream + "." + EMPTY_TOKEN.matcher(encoded).replaceAll("%2E");
    }

    static String topic(String stream, String subject) {
        return PercentEncoding.decode(
                subject.startsWith(stream + ".") ? subject.substring(stream.length() + 1) : subject);
    }

    /** Returns whether the pattern matches, by the rules of NATS: {@code *} is one token, {@code >} one or more at the end. */
    static boolean matches(String pattern, String subject) {
        String[] expected = pattern.split("\\.", -1);
        String[] tokens = subject.split("\\.", -1);
        for (int i = 0; i < expected.length; i++) {
            if (expected[i].equals(">")) {
                return tokens.length > i;
            }
            if (i >= tokens.length || !(expected[i].equals("*") || expected[i].equals(tokens[i]))) {
                return false;
            }
        }
        return tokens.length == expected.length;
    }
}
