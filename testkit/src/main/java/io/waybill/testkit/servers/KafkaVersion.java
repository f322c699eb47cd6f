package io.waybill.testkit.servers;

import io.waybill.embedded.LocalKafka;
import io.waybill.embedded.ProgramCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Versions of Kafka besides the one on the class path. Maven copies the jars of another version, from its local
 * repository or the network, into the user's cache folder. Later runs need neither Maven nor the network.
 */
public enum KafkaVersion {
    V3_9("3.9.2");

    private static final String ARTIFACT = "kafka_2.13";
    private static final Set<KafkaVersion> MISSING = ConcurrentHashMap.newKeySet();

    private final String number;

    KafkaVersion(String number) {
        this.number = number;
    }

    /**
     * A builder of a broker of this version. Aborts the test, and reports it as not run, where the version cannot be
     * downloaded.
     */
    public LocalKafka.Builder builder(Path folder) {
        return LocalKafka.builder(folder).programs(jars());
    }

    private synchronized Path jars() {
        if (!MISSING.contains(this)) {
            try {
                return ProgramCache.folder(ARTIFACT + "-" + number, this::copy).resolve("jars");
            } catch (IOException noMavenOrNoNetwork) {
                MISSING.add(this);
            }
        }
        throw NotRun.because("Maven cannot download org.apache.kafka:" + ARTIFACT + ":" + number
                + ". Check the network and that mvn is on the PATH.");
    }

    private void copy(Path folder) throws IOException {
        Files.writeString(folder.resolve("pom.xml"), """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>io.waybill</groupId>
                  <artifactId>other-kafka</artifactId>
                  <version>1</version>
                  <dependencies>
                    <dependency>
                      <groupId>org.apache.kafka</groupId>
                      <artifactId>%s</artifactId>
                      <version>%s</version>
                    </dependency>
                  </dependencies>
                </project>
                """.formatted(ARTIFACT, number));
        MavenCommand.run(folder, "copy-dependencies", "-DoutputDirectory=" + folder.resolve("jars"));
    }
}
