package io.waybill.random;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The random values of one case. The seed determines all of them. Limits and other values at which programs tend to fail are drawn far
 * more often than chance would.
 */
public final class Draw {
    private static final int DRAWS_PER_EDGE = 8;
    private static final int MOST_ATTEMPTS = 10_000;
    private static final int LONGEST_REPORT = 2_000;
    /** NUL, line ends, an escape, quotes, a byte order mark, line separators, a non-character, half and whole surrogate pairs. */
    private static final String ODD_CHARACTERS =
            "\0\n\r\t\u001b\u007f\"\\'{}[]:,#\u00a0\u00e9\u2028\ufeff\ufffe\uffff\ud83d\ude9a\ud800\udfff\ud83d\ude9a";

    private final SplittableRandom random;
    private final List<Object> drawn = new ArrayList<>();

    Draw(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Returns a number between both limits, which are included. */
    public long number(long least, long most) {
        return record(limited(least, most));
    }

    /** Returns a number between both limits, which are included. */
    public int integer(int least, int most) {
        return (int) number(least, most);
    }

    public boolean flag() {
        return record(random.nextBoolean());
    }

    /** Returns up to that many bytes. */
    public byte[] bytes(int most) {
        byte[] bytes = new byte[length(most)];
        random.nextBytes(bytes);
        record(Arrays.toString(bytes));
        return bytes;
    }

    /** Returns a copy with one byte changed, which is cut off there in half of the cases. The bytes must not be empty. */
    public byte[] damaged(byte[] bytes) {
        int at = integer(0, bytes.length - 1);
        byte value = (byte) integer(Byte.MIN_VALUE, Byte.MAX_VALUE);
        byte[] damaged = flag() ? Arrays.copyOf(bytes, at) : bytes.clone();
        if (at < damaged.length) {
            damaged[at] = value;
        }
        return damaged;
    }

    /** Returns a text of up to that many characters: also NUL, line ends, and half of a surrogate pair. */
    public String text(int longest) {
        StringBuilder text = new StringBuilder();
        for (int i = length(longest); i > 0; i--) {
            text.append(
                    switch (random.nextInt(4)) {
                        case 0 -> ODD_CHARACTERS.charAt(random.nextInt(ODD_CHARACTERS.length()));
                        case 1 -> (char) random.nextInt(Character.MAX_VALUE + 1);
                        default -> (char) random.nextInt(' ', 0x7f);
                    });
        }
        return record(text.toString());
    }

    /** Returns a text of up to that many code points, all of which UTF-8 can encode: no half of a surrogate pair. */
    public String unicode(int longest) {
        StringBuilder text = new StringBuilder();
        for (int i = length(longest); i > 0; i--) {
            int character = switch (random.nextInt(4)) {
                case 0 -> ODD_CHARACTERS.codePointAt(random.nextInt(ODD_CHARACTERS.length()));
                case 1 -> random.nextInt(Character.MAX_CODE_POINT + 1);
                default -> random.nextInt(' ', 0x7f);
            };
            text.appendCodePoint(
                    character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE ? '?' : character);
        }
        return record(text.toString());
    }

    /** Returns a text of up to that many characters of ASCII, control characters included. */
    public String ascii(int longest) {
        StringBuilder text = new StringBuilder();
        for (int i = length(longest); i > 0; i--) {
            text.append((char) random.nextInt(0x80));
        }
        return record(text.toString());
    }

    /** Returns a text of up to that many code points of an alphabet. */
    public String textOf(String alphabet, int longest) {
        int[] characters = alphabet.codePoints().toArray();
        StringBuilder text = new StringBuilder();
        for (int i = length(longest); i > 0; i--) {
            text.appendCodePoint(characters[random.nextInt(characters.length)]);
        }
        return record(text.toString());
    }

    /** Returns one of these values. */
    @SafeVarargs
    public final <T> T of(T... values) {
        return record(values[random.nextInt(values.length)]);
    }

    /** Returns a value of one of these generators. */
    @SafeVarargs
    public final <T> T from(Supplier<? extends T>... generators) {
        return generators[random.nextInt(generators.length)].get();
    }

    /** Returns up to that many values. */
    public <T> List<T> list(int most, Supplier<? extends T> generator) {
        List<T> list = new ArrayList<>();
        for (int i = length(most); i > 0; i--) {
            list.add(generator.get());
        }
        return list;
    }

    /** Returns up to that many entries; fewer where a key is drawn twice. */
    public <K, V> Map<K, V> map(int most, Supplier<? extends K> keys, Supplier<? extends V> values) {
        Map<K, V> map = new HashMap<>();
        for (int i = length(most); i > 0; i--) {
            map.put(keys.get(), values.get());
        }
        return map;
    }

    /**
     * Returns the first value that meets the condition.
     *
     * @throws IllegalStateException if thousands of values do not
     */
    public <T> T suchThat(Predicate<? super T> condition, Supplier<? extends T> generator) {
        for (int i = 0; i < MOST_ATTEMPTS; i++) {
            T value = generator.get();
            if (condition.test(value)) {
                return value;
            }
        }
        throw new IllegalStateException("None of " + MOST_ATTEMPTS + " values meets the condition of suchThat.");
    }

    private int length(int most) {
        return (int) limited(0, most);
    }

    private long limited(long least, long most) {
        if (random.nextInt(DRAWS_PER_EDGE) == 0) {
            long edge = switch (random.nextInt(6)) {
                case 0 -> least;
                case 1 -> most;
                case 2 -> least + 1;
                case 3 -> most - 1;
                case 4 -> 0;
                default -> 1;
            };
            if (edge >= least && edge <= most) {
                return edge;
            }
        }
        // A span of all longs has no bound that a long can hold.
        return least == Long.MIN_VALUE && most == Long.MAX_VALUE
                ? random.nextLong()
                : most == Long.MAX_VALUE ? random.nextLong(least - 1, most) + 1 : random.nextLong(least, most + 1);
    }

    private <T> T record(T value) {
        drawn.add(value);
        return value;
    }

    /** Returns the drawn values in their order, with escapes for all characters outside of printable ASCII. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Object value : drawn) {
            text.append(text.length() == 0 ? "" : ", ");
            boolean quoted = value instanceof CharSequence;
            text.append(quoted ? "\"" : "")
                    .append(escaped(String.valueOf(value)))
                    .append(quoted ? "\"" : "");
            if (text.length() > LONGEST_REPORT) {
                return text.substring(0, LONGEST_REPORT) + " …";
            }
        }
        return text.toString();
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
                escaped.append(c);
            } else {
                escaped.append(String.format("\\u%04x", (int) c));
            }
        }
        return escaped.toString();
    }
}
