package io.waybill.jdbc;

import static java.util.stream.Collectors.joining;

import java.util.List;

/** How a database takes several statements at once. Either way it stops at the first that fails. */
enum Together {
    /** One behind the other, each with its answer. */
    LISTED {
        @Override
        String text(List<String> statements) {
            return String.join(";\n", statements);
        }

        @Override
        String counted(String change) {
            return change;
        }
    },
    /** As one compound statement, which answers what is selected in it. */
    BLOCK {
        @Override
        String text(List<String> statements) {
            return statements.stream().collect(joining(";\n", "BEGIN NOT ATOMIC\n", ";\nEND"));
        }

        @Override
        String counted(String change) {
            return change + ";\nSELECT row_count()";
        }
    };

    abstract String text(List<String> statements);

    /** A statement among others that shall tell how many rows it has changed. */
    abstract String counted(String change);
}
