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
 * A table that is not Waybill's own, as its owner describes it: how its waiting rows are read as events, and what is written
 * into them when these are taken, published, failed or given up on. Names and expressions become SQL as they are, so a layout
 * is as trusted as the program's configuration; nothing of a message ever becomes a part of it.
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

    /** Those that come along. */
    public static List<String> names() {
        return NAMES;
    }

    /** @throws WaybillException naming the line and the remedy when the text is no layout */
    public static Layout parse(String name, String text) {
        return new LayoutParser(name).parse(text);
    }

    /** One of {@link #names()}, or a file. */
    public static Layout of(String nameOrFile, Path folder) {
        return parse(nameOrFile, text(nameOrFile, folder));
    }

    /** The text of {@link #of}, for people. */
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

    /** One line for people. */
    public String description() {
        return find("description").map(LayoutEntry::text).orElse("");
    }

    /** The table with its schema, as SQL writes it. */
    public String table() {
        String table = required("table").text();
        return table.contains(".") ? table : "public." + table;
    }

    /** Where Waybill's own tables are: not beside the table, which may have the name of one of them. */
    public String schema() {
        return find("schema").map(LayoutEntry::text).orElse("waybill");
    }

    /** Whether a message is the payload alone, with no envelope around it and no headers but the event's own. */
    public boolean payloadAlone() {
        return find("envelope").filter(value -> value.text().equals("none")).isPresent();
    }

    Optional<LayoutEntry> find(String key) {
        return Optional.ofNullable(values.get(key));
    }

    LayoutEntry required(String key) {
        @Nullable LayoutEntry value = values.get(key);
        if (value == null) {
            throw new IllegalStateException(key + " was not checked");
        }
        return value;
    }

    /** All that stand below this key, by the rest of their names. */
    Map<String, LayoutEntry> below(String key) {
        Map<String, LayoutEntry> found = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (name.startsWith(key + ".")) {
                found.put(name.substring(key.length() + 1), value);
            }
        });
        return found;
    }

    /** What the table's rows undergo: UPDATE, DELETE or both. */
    List<String> changes() {
        Stream<RowTransition> steps = Stream.of(RowTransition.values());
        return steps.flatMap(step -> deletes(step)
                        ? Stream.of("DELETE")
                        : below(step.label()).isEmpty() ? Stream.of() : Stream.of("UPDATE"))
                .distinct()
                .toList();
    }

    /** Whether rows are deleted in this case instead of changed. */
    boolean deletes(RowTransition step) {
        return find(step.label()).isPresent();
    }
}
