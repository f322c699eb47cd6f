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

/** Compares tables with the script that creates them: each column of the script must be there. */
public final class TableColumns {
    private static final Pattern TABLE = Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(\\w+) \\(");

    /** What begins a constraint or an index instead of a column; the scripts write it in capitals. */
    private static final Set<String> OTHERS =
            Set.of("CONSTRAINT", "PRIMARY", "UNIQUE", "KEY", "FOREIGN", "CHECK", "INDEX");

    private TableColumns() {}

    /** A problem for each table that lacks columns; tables that are missing altogether are left to others. */
    public static List<String> problems(Connection connection, SqlScript script) throws SQLException {
        List<String> problems = new ArrayList<>();
        for (Map.Entry<String, Set<String>> table : in(script.text()).entrySet()) {
            Set<String> found = found(connection, table.getKey());
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

    private static Set<String> found(Connection connection, String table) throws SQLException {
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

    /** The columns of each table that the script creates. */
    public static Map<String, Set<String>> in(String script) {
        String text = script.replaceAll("--[^\n]*", "");
        Map<String, Set<String>> tables = new LinkedHashMap<>();
        Matcher table = TABLE.matcher(text);
        while (table.find()) {
            tables.put(table.group(1), columns(text, table.end()));
        }
        return tables;
    }

    /** The first word of each part between commas, up to the parenthesis that ends the table. */
    private static Set<String> columns(String text, int start) {
        Set<String> columns = new LinkedHashSet<>();
        int part = start;
        int depth = 1;
        for (int i = start; depth > 0; i++) {
            char c = text.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth == 0 || (depth == 1 && c == ',')) {
                String name = text.substring(part, i).strip().split("\\s", 2)[0].replaceAll("[`\"]", "");
                if (!OTHERS.contains(name)) {
                    columns.add(name);
                }
                part = i + 1;
            }
        }
        return columns;
    }
}
