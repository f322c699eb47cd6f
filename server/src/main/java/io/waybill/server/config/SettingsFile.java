package io.waybill.server.config;

import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.dataformat.yaml.YAMLFactory;

/** Reads {@code waybill.yaml} token by token, because error messages need the line number of each token. */
final class SettingsFile {
    private static final long LARGEST = 1_000_000;

    private final Path file;
    private final List<RawSetting> found = new ArrayList<>();
    private final Map<String, Integer> lines = new HashMap<>();

    private SettingsFile(Path file) {
        this.file = file;
    }

    static List<RawSetting> read(Path file) {
        SettingsFile settings = new SettingsFile(file);
        try (JsonParser parser = new YAMLFactory().createParser(ObjectReadContext.empty(), text(file))) {
            JsonToken first = parser.nextToken();
            if (first == JsonToken.START_OBJECT) {
                settings.section("", parser);
            } else if (first != null && first != JsonToken.VALUE_NULL) {
                throw settings.problem("does not contain settings", parser, "Write `key: value` lines.");
            }
            return settings.found;
        } catch (JacksonException e) {
            TokenStreamLocation at = e.getLocation();
            String line = at == null ? "" : " line " + at.getLineNr();
            throw new Problem(
                    Exit.USAGE,
                    file.getFileName() + line + " is not valid YAML: " + firstLine(e.getOriginalMessage())
                            + ". Correct " + file + ".",
                    e);
        }
    }

    private static String text(Path file) {
        try {
            if (Files.size(file) > LARGEST) {
                throw Problem.usage("Configuration file " + file + " is larger than " + LARGEST
                        + " bytes. Is that the right file?");
            }
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new Problem(
                    Exit.USAGE, "There is no configuration file " + file + ". Create it, or correct --config.", e);
        } catch (IOException e) {
            throw new Problem(Exit.USAGE, "Cannot read configuration file " + file + ": " + e + ".", e);
        }
    }

    private void section(String prefix, JsonParser parser) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = prefix + parser.currentName();
            JsonToken token = parser.nextToken();
            if (token == JsonToken.START_OBJECT) {
                int before = found.size();
                section(key + ".", parser);
                if (found.size() == before && (key + ".").startsWith(OutboxKey.PREFIX)) {
                    throw problem("gives '" + key + "' no settings", parser, "Write some, or remove the line.");
                }
            } else if (token == JsonToken.START_ARRAY) {
                throw problem("gives '" + key + "' a list", parser, "Give it a single value.");
            } else if (token == JsonToken.VALUE_NULL) {
                throw problem("gives '" + key + "' no value", parser, "Write one after the colon, or remove the line.");
            } else {
                add(key, parser);
            }
        }
    }

    private void add(String key, JsonParser parser) {
        int line = parser.currentTokenLocation().getLineNr();
        Integer earlier = lines.putIfAbsent(key, line);
        if (earlier != null) {
            throw problem("sets '" + key + "' a second time", parser, "It is set on line " + earlier + " already.");
        }
        found.add(new RawSetting(key, parser.getString(), file.getFileName() + " line " + line));
    }

    private Problem problem(String what, JsonParser parser, String remedy) {
        int line = parser.currentTokenLocation().getLineNr();
        return Problem.usage(file.getFileName() + " line " + line + " " + what + ". " + remedy);
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("").strip();
    }
}
