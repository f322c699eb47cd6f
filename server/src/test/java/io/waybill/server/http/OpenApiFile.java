package io.waybill.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The description of the API, against which tests check each response. */
final class OpenApiFile {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    static final JsonNode ROOT = read();
    private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

    /** The operations of which a test has seen a successful response, as {@code GET /path}. */
    static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    private OpenApiFile() {}

    private static JsonNode read() {
        try (InputStream file = HttpServer.class.getResourceAsStream("openapi.json")) {
            return JSON.readTree(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    record Operation(String method, String path, JsonNode json) {
        String title() {
            return method + " " + path;
        }

        String role() {
            return json.get("x-role").asString();
        }
    }

    static List<Operation> operations() {
        List<Operation> all = new ArrayList<>();
        for (Map.Entry<String, JsonNode> path : ROOT.get("paths").properties()) {
            for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
                all.add(new Operation(method.getKey().toUpperCase(Locale.ROOT), path.getKey(), method.getValue()));
            }
        }
        return all;
    }

    private static @Nullable Operation find(String method, String path) {
        @Nullable Operation found = null;
        for (Operation operation : operations()) {
            Pattern pattern =
                    Pattern.compile(operation.path().replace(".", "\\.").replaceAll("\\{\\w+}", "[^/]+"));
            boolean matches =
                    operation.method().equals(method) && pattern.matcher(path).matches();
            // /sagas/stats is not /sagas/{id}
            if (matches
                    && (found == null
                            || operation.path().length()
                                            - operation.path().replace("{", "").length()
                                    < found.path().length()
                                            - found.path().replace("{", "").length())) {
                found = operation;
            }
        }
        return found;
    }

    /** Fails unless the file documents this response. Ignores paths outside of the API. */
    static void check(String method, String path, int status, String type, String body) {
        if (!path.startsWith("/api/v1/")) {
            return;
        }
        @Nullable Operation operation = find(method, path);
        if (operation == null) {
            return;
        }
        String what = method + " " + path + " " + status + " " + body;
        @Nullable JsonNode response = operation.json().get("responses").get(Integer.toString(status));
        if (response == null && Set.of(405, 408, 415, 421, 503).contains(status)) {
            response = JSON.createObjectNode().put("$ref", "#/components/responses/Invalid"); // any request can end so
        }
        assertThat(response).as("documented: " + what).isNotNull();
        if (response.has("$ref")) {
            response = ROOT.at(response.get("$ref").asString().substring(1));
        }
        if (!response.has("content")) {
            assertThat(body).as(what).isEmpty();
            SEEN.add(operation.title());
            return;
        }
        Map.Entry<String, JsonNode> content =
                response.get("content").properties().iterator().next();
        assertThat(type).as(what).startsWith(content.getKey());
        JsonNode schema = content.getValue().get("schema");
        if (content.getKey().endsWith("json")) {
            ObjectNode whole = ((ObjectNode) schema).deepCopy();
            whole.set("components", ROOT.get("components"));
            assertThat(SCHEMAS.getSchema(whole.toString()).validate(body, InputFormat.JSON))
                    .as(what)
                    .isEmpty();
        }
        if (status < 300) {
            SEEN.add(operation.title());
        }
    }

    static Set<String> titles() {
        Set<String> titles = new TreeSet<>();
        operations().forEach(operation -> titles.add(operation.title()));
        return titles;
    }
}
