package io.waybill.server.http.api;

import io.waybill.server.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * Replaces values in payloads. A path is a small part of JSONPath: {@code $.card.number}, {@code $.items[*].iban} and
 * {@code $..secret}. The other characters of the payload stay as they are, so that numbers keep their digits.
 */
public final class Mask {
    private static final Pattern PATH = Pattern.compile("\\$((\\.\\.?[^.\\[\\]]+)|\\[(\\*|\\d{1,9})])+");
    private static final Pattern PART = Pattern.compile("(\\.\\.?)([^.\\[\\]]+)|\\[(\\*|\\d{1,9})]");
    private static final String HIDDEN = "\"***\"";

    /** A payload that is nested deeper is treated like one that is not JSON: comparing paths would take too long. */
    private static final int DEEPEST = 500;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxNestingDepth(DEEPEST)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final List<Rule> rules;

    private Mask(List<Rule> rules) {
        this.rules = rules;
    }

    /** @param steps the path below the root; {@code *} matches every step */
    private record Rule(String path, List<Step> steps) {}

    /** @param anywhere whether any number of steps may come before it */
    private record Step(String name, boolean anywhere) {}

    /** A payload whose matching values are replaced, and the paths that matched. */
    public record Masked(String text, Set<String> paths) {}

    public static Mask of(List<String> paths) {
        return new Mask(paths.stream().map(Mask::rule).toList());
    }

    private static Rule rule(String path) {
        if (!PATH.matcher(path).matches()) {
            throw Problem.usage("console.mask contains '" + path
                    + "'. Use paths such as $.card.number, $.items[*].iban or $..secret.");
        }
        List<Step> steps = new ArrayList<>();
        Matcher part = PART.matcher(path);
        while (part.find()) {
            boolean index = part.group(2) == null;
            steps.add(new Step(index ? part.group(3) : part.group(2), "..".equals(part.group(1))));
        }
        return new Rule(path, List.copyOf(steps));
    }

    /** Masks a payload. If there are paths, a text that is not JSON is hidden, because the paths cannot be found in it. */
    public Masked apply(String text) {
        if (rules.isEmpty()) {
            return new Masked(text, Set.of());
        }
        Set<String> matched = new TreeSet<>();
        StringBuilder shown = new StringBuilder();
        int copied = 0;
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            List<Place> places = new ArrayList<>();
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.END_OBJECT || token == JsonToken.END_ARRAY) {
                    places.remove(places.size() - 1);
                    continue;
                }
                if (token == JsonToken.PROPERTY_NAME) {
                    places.get(places.size() - 1).step = parser.currentName();
                    continue;
                }
                if (!places.isEmpty()) {
                    places.get(places.size() - 1).element();
                }
                Set<String> hits = hits(places);
                if (!hits.isEmpty()) {
                    matched.addAll(hits);
                    int start = (int) parser.currentTokenLocation().getCharOffset();
                    parser.skipChildren();
                    parser.finishToken();
                    shown.append(text, copied, start).append(HIDDEN);
                    copied = (int) parser.currentLocation().getCharOffset();
                } else if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
                    places.add(new Place(token == JsonToken.START_ARRAY));
                }
            }
        } catch (JacksonException e) {
            return new Masked(HIDDEN, Set.of("$"));
        }
        return new Masked(shown.append(text, copied, text.length()).toString(), matched);
    }

    /** An object or an array that is open, and the step to its current value. */
    private static final class Place {
        private final boolean array;
        private int index = -1;
        private String step = "";

        Place(boolean array) {
            this.array = array;
        }

        void element() {
            if (array) {
                index++;
                step = Integer.toString(index);
            }
        }
    }

    private Set<String> hits(List<Place> places) {
        Set<String> hits = new TreeSet<>();
        for (Rule rule : rules) {
            if (matches(rule.steps(), rule.steps().size(), places, places.size())) {
                hits.add(rule.path());
            }
        }
        return hits;
    }

    /** Compares from the end: the first {@code parts} steps of the rule with the first {@code depth} places. */
    private static boolean matches(List<Step> rule, int parts, List<Place> places, int depth) {
        if (parts == 0) {
            return depth == 0;
        }
        Step last = rule.get(parts - 1);
        if (depth == 0 || !(last.name().equals("*") || last.name().equals(places.get(depth - 1).step))) {
            return false;
        }
        if (!last.anywhere()) {
            return matches(rule, parts - 1, places, depth - 1);
        }
        for (int before = 0; before < depth; before++) {
            if (matches(rule, parts - 1, places, before)) {
                return true;
            }
        }
        return false;
    }
}
