package io.waybill.jdbc.layout;

import io.waybill.WaybillException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses a layout line by line. Errors name the line and the remedy. */
final class LayoutParser {
    static final Set<String> COLUMNS = Set.of(
            "id",
            "key",
            "type",
            "aggregate-type",
            "version",
            "topic",
            "payload",
            "headers",
            "created",
            "partition-key",
            "max-attempts",
            "finished-at");

    private static final Set<String> WORDS = Set.of(
            "description", "table", "schema", "order", "waiting", "envelope", "on-retention", "archive", "finished");

    private static final List<String> REQUIRED = List.of("table", "id", "key", "type", "payload", "order", "waiting");

    private static final Pattern SECTION = Pattern.compile("(header|claim|success|failure|dead)\\.(.+)");
    private static final Pattern TABLE =
            Pattern.compile("(" + LayoutEntry.IDENTIFIER + "\\.)?" + LayoutEntry.IDENTIFIER);
    private static final Pattern VARIABLE = Pattern.compile("(?<![:\\w]):([a-z_]+)");
    private static final Set<String> VARIABLES = Set.of("attempts", "error", "next_attempt_at");

    private final String name;
    private final Map<String, LayoutEntry> values = new LinkedHashMap<>();

    LayoutParser(String name) {
        this.name = name;
    }

    Layout parse(String text) {
        int number = 0;
        for (String raw : text.lines().toList()) {
            number++;
            String line = raw.strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                add(line, number);
            }
        }
        for (String key : REQUIRED) {
            if (!values.containsKey(key)) {
                throw new WaybillException("Layout " + name + " lacks the key '" + key + "'. Add a line `" + key
                        + " = …`; for an example, run `waybill layout show claimed-status`.");
            }
        }
        requireFinalState("success", "published");
        requireFinalState("dead", "a dead letter");
        requireRetention();
        return new Layout(name, Collections.unmodifiableMap(values));
    }

    /** A row that still waits after its event is finished would be published forever. */
    private void requireFinalState(String step, String what) {
        if (!values.containsKey(step) && values.keySet().stream().noneMatch(key -> key.startsWith(step + "."))) {
            throw new WaybillException("Layout " + name + " does not define the final state of a row that is " + what
                    + ". Add lines such as `" + step + ".status = '…'`, after which the row no longer waits, or `"
                    + step
                    + " = delete`.");
        }
    }

    private void requireRetention() {
        LayoutEntry onRetention = values.get("on-retention");
        if (onRetention == null) {
            return;
        }
        List<String> needed =
                new ArrayList<>(onRetention.text().equals("archive") ? List.of("archive") : List.<String>of());
        needed.addAll(List.of("finished", "finished-at"));
        for (String key : needed) {
            require(
                    values.containsKey(key),
                    onRetention.line(),
                    "sets on-retention without '" + key + "'",
                    "Add a line such as `" + key + " = "
                            + Map.of(
                                            "archive",
                                            "public.outbox_archive",
                                            "finished",
                                            "status = 'sent'",
                                            "finished-at",
                                            "sent_at")
                                    .get(key)
                            + "`.");
        }
    }

    private void add(String line, int number) {
        int equals = line.indexOf('=');
        if (equals < 1) {
            throw problem(
                    number,
                    "is not `key = value`",
                    "Comments begin with #, and a value cannot continue on the next line.");
        }
        String key = line.substring(0, equals).strip();
        String value = line.substring(equals + 1).strip();
        boolean optional = key.endsWith("?");
        if (optional) {
            key = key.substring(0, key.length() - 1);
        }
        if (value.isEmpty()) {
            throw problem(
                    number, "gives '" + key + "' no value", "Write a value after the equals sign, or remove the line.");
        }
        LayoutEntry found = check(key, value, optional, number);
        LayoutEntry earlier = values.putIfAbsent(key, found);
        if (earlier != null) {
            throw problem(number, "sets '" + key + "' a second time", "Line " + earlier.line() + " sets it already.");
        }
    }

    private LayoutEntry check(String key, String value, boolean optional, int number) {
        Matcher section = SECTION.matcher(key);
        if (section.matches()) {
            return inSection(section.group(1), section.group(2), value, optional, number);
        }
        if (optional) {
            throw problem(
                    number,
                    "marks '" + key + "' as optional",
                    "Write the question mark after the column: `" + key + " = " + value + "?`.");
        }
        if (COLUMNS.contains(key)) {
            return column(key, value, number);
        }
        switch (key) {
            case "table", "schema", "archive" ->
                require(
                        (!key.equals("schema") ? TABLE : Pattern.compile(LayoutEntry.IDENTIFIER))
                                .matcher(value)
                                .matches(),
                        number,
                        "has an invalid " + key + " name: " + value,
                        key.equals("schema") ? "Write a single name." : "Write schema.table.");
            case "envelope" ->
                require(
                        value.equals("standard") || value.equals("none"),
                        number,
                        "has an unknown envelope '" + value + "'",
                        "Write standard, or none for the bare payload.");
            case "on-retention" ->
                require(
                        value.equals("delete") || value.equals("archive"),
                        number,
                        "has an unknown value for on-retention '" + value + "'",
                        "Write delete or archive, or leave the line out to keep the rows.");
            case "waiting", "finished" -> expression(value, number);
            case "order" -> order(value, number);
            case "success", "dead" ->
                require(
                        value.equals("delete"),
                        number,
                        "has an invalid value for '" + key + "': " + value,
                        "Write `" + key + ".column = value`, or `" + key + " = delete`.");
            case "description" -> {}
            default -> throw problem(number, "has an unknown key '" + key + "'", "The keys are " + known() + ".");
        }
        return new LayoutEntry(value, number, false);
    }

    private static String known() {
        return String.join(", ", new TreeSet<>(WORDS)) + ", " + String.join(", ", new TreeSet<>(COLUMNS))
                + ", header.NAME, claim.COLUMN, success.COLUMN, failure.COLUMN, dead.COLUMN";
    }

    private LayoutEntry column(String key, String value, int number) {
        boolean optional = value.endsWith("?");
        String text = optional ? value.substring(0, value.length() - 1).strip() : value;
        if (LayoutEntry.isColumn(text)) {
            require(
                    !optional || !REQUIRED.contains(key),
                    number,
                    "makes '" + key + "' optional",
                    "Every event needs it; remove the question mark.");
            return new LayoutEntry(text, number, optional);
        }
        require(
                !key.equals("id"),
                number,
                "has an id that is not a column: " + value,
                "Rows are found by their id; name a column.");
        require(
                (value.startsWith("(") && value.endsWith(")")) || (value.startsWith("'") && value.endsWith("'")),
                number,
                "is neither a column nor an expression: " + value,
                "Write an expression in parentheses, or a text in single quotes.");
        expression(value, number);
        return new LayoutEntry(value, number, false);
    }

    private LayoutEntry inSection(String section, String rest, String value, boolean optional, int number) {
        if (section.equals("header")) {
            require(!optional, number, "marks a header as optional", "Write the question mark after the column.");
            return column("header", value, number);
        }
        require(
                LayoutEntry.isColumn(rest),
                number,
                "has an invalid column name: " + rest,
                "Write `" + section + ".column = value`.");
        expression(value, number);
        Matcher variable = VARIABLE.matcher(value);
        while (variable.find()) {
            require(
                    VARIABLES.contains(variable.group(1)) && (section.equals("failure") || section.equals("dead")),
                    number,
                    "uses :" + variable.group(1) + ", which is not available in " + section,
                    "Only failure and dead have variables: :attempts, :error and :next_attempt_at.");
        }
        return new LayoutEntry(value, number, optional);
    }

    private void order(String value, int number) {
        boolean certain = false;
        for (String part : value.split(",", -1)) {
            String column = part.strip();
            certain |= !column.endsWith("?");
            require(
                    LayoutEntry.isColumn(column.endsWith("?") ? column.substring(0, column.length() - 1) : column),
                    number,
                    "orders by an expression: " + column,
                    "Write column names, separated by commas, with a question mark after a column that the table may lack.");
        }
        require(certain, number, "has only optional columns in its order", "Remove a question mark.");
    }

    /** Rejects typing errors that would end the statement early. It is no protection against the operator, who owns the file. */
    private void expression(String text, int number) {
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'') {
                quoted = !quoted;
            } else if (!quoted) {
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                require(depth >= 0, number, "closes a parenthesis that was not opened", "Balance the parentheses.");
                require(c != ';', number, "has a semicolon", "Write one expression, not a statement.");
                require(c != '?', number, "has a question mark", "For jsonb, write jsonb_exists(column, 'name').");
                require(
                        !text.startsWith("--", i) && !text.startsWith("/*", i),
                        number,
                        "has a comment after its value",
                        "Write comments on separate lines that begin with #.");
            }
        }
        require(!quoted, number, "opens a quote that it does not close", "Double a quote within a text.");
        require(depth == 0, number, "opens a parenthesis that it does not close", "Balance the parentheses.");
    }

    private void require(boolean right, int number, String what, String remedy) {
        if (!right) {
            throw problem(number, what, remedy);
        }
    }

    private WaybillException problem(int number, String what, String remedy) {
        return new WaybillException("Layout " + name + " line " + number + " " + what + ". " + remedy);
    }
}
