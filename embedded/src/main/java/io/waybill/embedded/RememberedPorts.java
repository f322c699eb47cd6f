package io.waybill.embedded;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** The ports of a folder's server, written next to its data so that the next start offers the same address. */
final class RememberedPorts {

    private final Path file;
    private final Properties ports = new Properties();

    RememberedPorts(Path folder) throws IOException {
        this.file = folder.resolve("ports.properties");
        if (Files.exists(file)) {
            try (Reader reader = Files.newBufferedReader(file)) {
                ports.load(reader);
            }
        }
    }

    /** The wanted port if it is not 0, else the remembered one if it is still free, else a new one. */
    int choose(String name, int wanted) throws IOException {
        int port = wanted != 0 ? wanted : rememberedOrNew(name);
        ports.setProperty(name, Integer.toString(port));
        try (Writer writer = Files.newBufferedWriter(file)) {
            ports.store(writer, null);
        }
        return port;
    }

    private int rememberedOrNew(String name) {
        int remembered = number(ports.getProperty(name, ""));
        return remembered != 0 && FreePort.isFree(remembered) ? remembered : FreePort.find();
    }

    /** A torn or edited file only costs the old address, so what is no number counts as nothing remembered. */
    private static int number(String text) {
        return text.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(text) : 0;
    }
}
