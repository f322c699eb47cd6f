package io.waybill.rabbitmq;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waybill.WaybillException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Client of RabbitMQ's management plugin, which lists queues and bindings; AMQP itself cannot. Needs {@code jackson-core}. */
final class ManagementApi {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int PORT = 15_672;

    private final RabbitAddress address;
    private final String url;

    ManagementApi(RabbitAddress address, String url) {
        this.address = address;
        this.url = url.isEmpty() ? "http://" + address.nodes().get(0).getHost() + ":" + PORT : url;
    }

    RabbitDiagnosis diagnose(String exchange) {
        String vhost = encoded(address.vhost());
        try {
            Map<String, String> queues = new TreeMap<>();
            for (Map<String, String> queue : get("/api/queues/" + vhost)) {
                queues.put(queue.getOrDefault("name", ""), queue.getOrDefault("type", "classic"));
            }
            Map<String, List<String>> bindings = new TreeMap<>();
            for (Map<String, String> binding :
                    get("/api/exchanges/" + vhost + "/" + encoded(exchange) + "/bindings/source")) {
                bindings.computeIfAbsent(binding.getOrDefault("destination", ""), queue -> new ArrayList<>())
                        .add(binding.getOrDefault("routing_key", ""));
            }
            queues.keySet().retainAll(bindings.keySet());
            return new RabbitDiagnosis(exchange, queues, bindings);
        } catch (IOException | JacksonException | IllegalArgumentException e) {
            throw new WaybillException(
                    "Cannot read queues and bindings from " + url + ": " + e
                            + ". Check that the management plugin is enabled there.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaybillException("Interrupted while waiting for " + url + ".", e);
        }
    }

    private List<Map<String, String>> get(String path) throws IOException, InterruptedException {
        String login = Base64.getEncoder().encodeToString((address.user() + ":" + address.password()).getBytes(UTF_8));
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(LIMIT)
                .header("Authorization", "Basic " + login)
                .build();
        HttpClient client = HttpClient.newBuilder().connectTimeout(LIMIT).build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("status " + response.statusCode());
        }
        return objects(response.body());
    }

    /** Returns the scalar fields of each object in an array. */
    private static List<Map<String, String>> objects(String json) {
        List<Map<String, String>> objects = new ArrayList<>();
        try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                Map<String, String> fields = new HashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    if (parser.nextToken().isStructStart()) {
                        parser.skipChildren();
                    } else {
                        fields.put(name, parser.getString());
                    }
                }
                objects.add(fields);
            }
        }
        return objects;
    }

    private static String encoded(String part) {
        return URLEncoder.encode(part, UTF_8).replace("+", "%20");
    }
}
