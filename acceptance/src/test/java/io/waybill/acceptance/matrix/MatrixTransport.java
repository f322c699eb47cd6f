package io.waybill.acceptance.matrix;

/** The transports of the matrix. Uses only the JDK, like {@link MatrixStore}. */
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

    /** The folder of the module below {@code transports}. */
    String folder() {
        return folder;
    }

    /** The prefix of the names of its contract tests. */
    String contract() {
        return contract;
    }
}
