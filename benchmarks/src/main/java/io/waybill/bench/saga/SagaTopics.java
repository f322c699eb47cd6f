package io.waybill.bench.saga;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Topics that exist until they are closed. */
final class SagaTopics implements AutoCloseable {
    private static final int PARTITIONS = 4;

    private final Admin admin;
    private final Collection<String> names;

    private SagaTopics(Admin admin, Collection<String> names) {
        this.admin = admin;
        this.names = names;
    }

    static SagaTopics create(String bootstrap, Collection<String> names)
            throws InterruptedException, ExecutionException {
        Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap, "enable.metrics.push", false));
        List<NewTopic> topics = names.stream()
                .map(name -> new NewTopic(name, PARTITIONS, (short) 1))
                .toList();
        admin.createTopics(topics).all().get();
        return new SagaTopics(admin, names);
    }

    @Override
    public void close() {
        admin.deleteTopics(names);
        admin.close();
    }
}
