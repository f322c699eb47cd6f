package io.waybill.nats;

import io.nats.client.api.ServerInfo;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamInfo;
import java.time.Duration;
import java.util.List;

/**
 * What a server says about itself and a stream.
 *
 * @param onDisk whether messages are kept in files; in memory otherwise
 * @param replicas on how many servers each message is before it is acknowledged
 * @param maxPayload largest message with its headers, in bytes
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

    /** Whether the stream takes events of this topic. */
    public boolean takes(String topic) {
        return subjects.stream().anyMatch(subject -> NatsLink.covers(subject, Wire.subject(stream, topic)));
    }
}
