package io.waybill.jdbc.layout;

import io.waybill.WaybillException;
import io.waybill.jdbc.internal.sql.SqlScript;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Describes an existing outbox table: how its waiting rows are read as events, and what is written into a row when its event
 * is claimed, published, failed or dead. Names and expressions are inserted into SQL unchanged, so a layout must be as
 * trusted as the program's configuration. No part of a message ever becomes part of a statement.
 */
public final class Layout {
    private static final List<String> NAMES =
            List.of("status-column", "claimed-status", "processed-flag", "retry-columns", "debezium");

    private final String name;
    private final Map<String, LayoutEntry> values;

    Layout(String name, Map<String, LayoutEntry> values) {
        this.name = name;
        this.values = values;
    }

    /** The names of the built-in layouts. */
    public static List<String> names() {
        return NAMES;
    }

    /** @throws WaybillException if the text is not a valid layout; the message names the line and the remedy */
    public static Layout parse(String name, String text) {
        return new LayoutParser(name).parse(text);
    }

    /** @param nameOrFile one of {@link #names()}, or a file, resolved against {@code folder} */
    public static Layout of(String nameOrFile, Path folder) {
        return parse(nameOrFile, text(nameOrFile, folder));
    }

    /** Returns the source text of the layout that {@link #of} parses. */
    public static String text(String nameOrFile, Path folder) {
        if (NAMES.contains(nameOrFile)) {
            return SqlScript.read("layouts/" + nameOrFile + ".properties");
        }
        Path file = folder.resolve(nameOrFile);
        if (!Files.isRegularFile(file)) {
            throw new WaybillException(
                    "There is no layout '" + nameOrFile + "', and no file of that name. The built-in layouts are "
                            + String.join(", ", NAMES) + ". For a table of your own, pass the path of a layout file.");
        }
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new WaybillException("Cannot read the layout " + file + ": " + e.getMessage() + ".", e);
        }
    }

    public String name() {
        return name;
    }

    /** One line for operators; may be empty. */
    public String description() {
        return find("description").map(LayoutEntry::text).orElse("");
    }

    /** The name of the table, qualified with its schema, in SQL syntax. */
    public String table() {
        return qualified(required("table").text());
    }

    /**
     * The schema of Waybill's own tables. They have a schema of their own, because the served table may have the name of one
     * of them.
     */
    public String schema() {
        return find("schema").map(LayoutEntry::text).orElse("waybill");
    }

    /** Whether a message is the bare payload, without an envelope and with only the headers of the event. */
    public boolean payloadAlone() {
        return find("envelope").filter(value -> value.text().equals("none")).isPresent();
    }

    /** Whether retention removes finished rows from the table. */
    boolean prunes() {
        return find("on-retention").isPresent();
    }

    /** The table that retention moves finished rows to, qualified with its schema; empty if it deletes them. */
    Optional<String> archive() {
        return find("on-retention")
                        .filter(value -> value.text().equals("archive"))
                        .isPresent()
                ? Optional.of(qualified(required("archive").text()))
                : Optional.empty();
    }

    private static String qualified(String table) {
        return table.contains(".") ? table : "public." + table;
    }

    Optional<LayoutEntry> find(String key) {
        return Optional.ofNullable(values.get(key));
    }

    LayoutEntry required(String key) {
        @Nullable LayoutEntry value = values.get(key);
        if (value == null) {
            throw new IllegalStateException("The parser did not require " + key);
        }
        return value;
    }

    /** The entries of a section, for example of {@code success}, by the part of their names after the dot. */
    Map<String, LayoutEntry> section(String key) {
        Map<String, LayoutEntry> found = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (name.startsWith(key + ".")) {
                found.put(name.substring(key.length() + 1), value);
            }
        });
        return found;
    }

    /** The kinds of statements that change the table: UPDATE, DELETE or both. */
    List<String> changeKinds() {
        Stream<RowTransition> transitions = Stream.of(RowTransition.values());
        Stream<String> kinds = transitions.flatMap(transition -> deletes(transition)
                ? Stream.of("DELETE")
                : section(transition.label()).isEmpty() ? Stream.of() : Stream.of("UPDATE"));
        return Stream.concat(kinds, prunes() ? Stream.of("DELETE") : Stream.of())
                .distinct()
                .toList();
    }

    /** Whether this transition deletes the row instead of updating it. */
    boolean deletes(RowTransition transition) {
        return find(transition.label()).isPresent();
    }
}
