package io.waybill.bench.contest;

import java.util.Collections;

/** How a database differs from the others, for whoever measures it. */
enum Base {
    POSTGRESQL {
        @Override
        String events() {
            return """
                    CREATE TABLE events (seq bigserial, id uuid PRIMARY KEY, aggregate_type varchar(50) NOT NULL,
                        aggregate_id varchar(100) NOT NULL, event_type varchar(100) NOT NULL, payload json NOT NULL,
                        occurred_at timestamptz NOT NULL DEFAULT now(), status varchar(20) NOT NULL DEFAULT 'PENDING',
                        retry_count int NOT NULL DEFAULT 0, next_attempt_at timestamptz NOT NULL DEFAULT now(),
                        last_error text, processed_at timestamptz);
                    CREATE INDEX events_poll ON events (next_attempt_at, seq) WHERE status = 'PENDING'""";
        }

        @Override
        String within(int count) {
            return "= ANY (?)";
        }
    },
    MARIADB {
        @Override
        String events() {
            return TABLE.formatted("bigint AUTO_INCREMENT UNIQUE", "longtext", ", INDEX events_poll " + INDEX + ")");
        }
    },
    H2 {
        @Override
        String events() {
            return TABLE.formatted(
                    "bigint GENERATED ALWAYS AS IDENTITY UNIQUE",
                    "varchar(1000000)",
                    "); CREATE INDEX events_poll ON events " + INDEX);
        }

        /** It would sort all that is due for each batch; there is one worker, and a database in memory has no other process. */
        @Override
        String lock() {
            return "";
        }
    };

    /** Without partial indexes the state leads the index. */
    private static final String TABLE = """
            CREATE TABLE events (seq %s, id char(36) PRIMARY KEY, aggregate_type varchar(50) NOT NULL,
                aggregate_id varchar(100) NOT NULL, event_type varchar(100) NOT NULL, payload %s NOT NULL,
                occurred_at timestamp(6) NOT NULL DEFAULT current_timestamp(6),
                status varchar(20) NOT NULL DEFAULT 'PENDING', retry_count int NOT NULL DEFAULT 0,
                next_attempt_at timestamp(6) NOT NULL DEFAULT current_timestamp(6), last_error varchar(4000),
                processed_at timestamp(6) NULL%s""";

    private static final String INDEX = "(status, next_attempt_at, seq)";

    static Base of(String jdbcUrl) {
        return jdbcUrl.startsWith("jdbc:mariadb:") ? MARIADB : jdbcUrl.startsWith("jdbc:h2:") ? H2 : POSTGRESQL;
    }

    /** The table of a loop that changes states: a row for each event, and no more indexes than it takes to drain it. */
    abstract String events();

    /** Keeps other workers from the rows that were read. */
    String lock() {
        return " FOR UPDATE SKIP LOCKED";
    }

    /** A condition on one of so many values. */
    String within(int count) {
        return "IN (" + String.join(", ", Collections.nCopies(count, "?")) + ")";
    }
}
