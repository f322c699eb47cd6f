package io.waybill.embedded;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** The ports of a folder's server, stored next to its data so that the next start uses the same address. */
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

    /** Returns the wanted port if it is not 0, else the remembered one if it is free, else a new one, and remembers it. */
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

    /** Returns 0 for text that is no port: a torn or edited file only loses the old address. */
    private static int number(String text) {
        return text.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(text) : 0;
    }
}
