package io.waybill.acceptance;

/** The transports of the matrix; plain names, as in {@link MatrixStore}. */
enum MatrixTransport {
    KAFKA("Kafka", "kafka", "Kafka"),
    RABBITMQ("RabbitMQ", "rabbitmq", "Rabbit"),
    NATS("NATS JetStream", "nats", "Nats");

    private final String label;
    private final String folder;
    private final String contract;

    MatrixTransport(String label, String folder, String contract) {
        this.label = label;
        this.folder = folder;
        this.contract = contract;
    }

    String label() {
        return label;
    }

    /** Its module's, below {@code transports}. */
    String folder() {
        return folder;
    }

    /** How the names of its contract tests begin. */
    String contract() {
        return contract;
    }
}
