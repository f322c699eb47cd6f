package io.waybill.jdbc.internal.schema;

import io.waybill.jdbc.internal.sql.Sql;
import io.waybill.jdbc.internal.sql.SqlScript;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks that tables have all columns of the script that creates them. */
public final class TableColumns {
    private static final Pattern TABLE = Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(\\w+) \\(");

    /** The keywords that start a constraint or an index instead of a column. The scripts write them in capitals. */
    private static final Set<String> NOT_COLUMNS =
            Set.of("CONSTRAINT", "PRIMARY", "UNIQUE", "KEY", "FOREIGN", "CHECK", "INDEX");

    private TableColumns() {}

    /** Returns a problem for each table that lacks columns. Missing tables are reported elsewhere. */
    public static List<String> problems(Connection connection, SqlScript script) throws SQLException {
        List<String> problems = new ArrayList<>();
        for (Map.Entry<String, Set<String>> table : in(script.text()).entrySet()) {
            Set<String> found = existing(connection, table.getKey());
            Set<String> missing = new LinkedHashSet<>(table.getValue());
            missing.removeAll(found);
            if (!found.isEmpty() && !missing.isEmpty()) {
                problems.add("Table " + table.getKey() + " has no column " + String.join(", ", missing)
                        + ": it was created by another version of Waybill, or changed. Compare your database with the output of"
                        + " waybill schema print.");
            }
        }
        return problems;
    }

    private static Set<String> existing(Connection connection, String table) throws SQLException {
        Sql sql = Sql.on(connection);
        return sql.query(
                sql.dialect().columns(),
                row -> {
                    Set<String> columns = new HashSet<>();
                    while (row.next()) {
                        columns.add(row.getString(1));
                    }
                    return columns;
                },
                table);
    }

    /** Returns the columns of each table that the script creates. */
    public static Map<String, Set<String>> in(String script) {
        String text = script.replaceAll("--[^\n]*", "");
        Map<String, Set<String>> tables = new LinkedHashMap<>();
        Matcher table = TABLE.matcher(text);
        while (table.find()) {
            tables.put(table.group(1), columns(text, table.end()));
        }
        return tables;
    }

    /** Returns the first word of each part between commas, up to the closing parenthesis of the table. */
    private static Set<String> columns(String text, int start) {
        Set<String> columns = new LinkedHashSet<>();
        int part = start;
        int depth = 1;
        for (int i = start; depth > 0; i++) {
            char c = text.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth == 0 || (depth == 1 && c == ',')) {
                String name = text.substring(part, i).strip().split("\\s", 2)[0].replaceAll("[`\"]", "");
                if (!NOT_COLUMNS.contains(name)) {
                    columns.add(name);
                }
                part = i + 1;
            }
        }
        return columns;
    }
}
