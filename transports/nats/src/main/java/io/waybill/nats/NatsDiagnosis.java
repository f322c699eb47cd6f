package io.waybill.nats;

import io.nats.client.api.ServerInfo;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamInfo;
import java.time.Duration;
import java.util.List;

/**
 * What a NATS server reports about itself and a stream.
 *
 * @param onDisk whether the stream stores messages in files; false means in memory
 * @param replicas number of servers that store each message
 * @param maxPayload largest message including its headers, in bytes
 */
public record NatsDiagnosis(
        String serverVersion,
        String stream,
        List<String> subjects,
        boolean onDisk,
        int replicas,
        Duration duplicateWindow,
        long maxPayload) {
    public NatsDiagnosis {
        subjects = List.copyOf(subjects);
    }

    static NatsDiagnosis of(ServerInfo server, StreamInfo stream) {
        var configuration = stream.getConfiguration();
        return new NatsDiagnosis(
                server.getVersion(),
                configuration.getName(),
                configuration.getSubjects(),
                configuration.getStorageType() == StorageType.File,
                configuration.getReplicas(),
                configuration.getDuplicateWindow(),
                server.getMaxPayload());
    }

    /** Returns whether the stream accepts events of this topic. */
    public boolean takes(String topic) {
        return subjects.stream().anyMatch(subject -> Subjects.matches(subject, Subjects.subject(stream, topic)));
    }
}
