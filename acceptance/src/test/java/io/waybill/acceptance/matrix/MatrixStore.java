package io.waybill.acceptance.matrix;

/** The stores of the matrix. Uses only the JDK, because the page is generated without other classes. */
enum MatrixStore {
    POSTGRES_JOURNAL("PostgreSQL, journal", "PostgresJournal", "InboxPostgres"),
    POSTGRES_QUEUE("PostgreSQL, queue", "PostgresQueue", "InboxPostgres"),
    MARIADB_QUEUE("MariaDB, queue", "MariaDbQueue", "InboxMariaDb"),
    H2_QUEUE("H2, queue", "H2Queue", "InboxH2");

    private final String label;
    private final String contract;
    private final String inboxContract;

    MatrixStore(String label, String contract, String inboxContract) {
        this.label = label;
        this.contract = contract;
        this.inboxContract = inboxContract;
    }

    String label() {
        return label;
    }

    /** The prefix of the names of its contract tests. */
    String contract() {
        return contract;
    }

    String inboxContract() {
        return inboxContract;
    }
}
