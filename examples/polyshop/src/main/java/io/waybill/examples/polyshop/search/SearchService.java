package io.waybill.examples.polyshop.search;

import io.javalin.http.Context;
import io.waybill.Event;
import io.waybill.examples.polyshop.service.Access;
import io.waybill.examples.polyshop.service.ApiException;
import io.waybill.examples.polyshop.service.HttpApi;
import io.waybill.examples.polyshop.service.Json;
import io.waybill.examples.polyshop.service.Rows;
import io.waybill.examples.polyshop.service.ServiceRuntime;
import io.waybill.examples.polyshop.service.ServiceSettings;
import io.waybill.inbox.PermanentException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The service search: an index of the products, built from events alone. An event that is older than the index changes nothing. */
public final class SearchService implements AutoCloseable {
    private static final String UPSERT = """
            INSERT INTO product_index (product_id, name, description, price, currency, active, deleted, changed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (product_id) DO UPDATE
            SET name = excluded.name, description = excluded.description, price = excluded.price, currency = excluded.currency,
                active = excluded.active, deleted = excluded.deleted, changed_at = excluded.changed_at
            WHERE product_index.changed_at <= excluded.changed_at AND NOT product_index.deleted""";
    private static final String FIND = """
            SELECT product_id, name, description, price, currency, ts_rank(words, query) AS score
            FROM product_index, websearch_to_tsquery('simple', ?) AS query
            WHERE active AND NOT deleted AND (words @@ query OR CAST(? AS text) = '')
            ORDER BY score DESC, name, product_id LIMIT ?""";

    private final ServiceRuntime runtime;

    public SearchService(ServiceSettings settings) {
        runtime = ServiceRuntime.of(settings);
        runtime.createTables(SearchService.class, "search.sql");
        runtime.consume(inbox -> inbox.on("product.product.created.v1", SearchService::store)
                .on("product.product.updated.v1", SearchService::store)
                .on("product.product.deleted.v1", SearchService::delete));
        runtime.http().get("/search/products", Access.PUBLIC, (context, caller) -> find(context));
    }

    public SearchService start() {
        runtime.start();
        return this;
    }

    public int port() {
        return runtime.port();
    }

    record Product(
            @Nullable UUID productId,
            @Nullable String name,
            @Nullable String description,
            @Nullable BigDecimal price,
            @Nullable String currency,
            @Nullable Boolean active) {}

    private static void store(Connection connection, Event event) throws SQLException {
        Product product = Json.read(event.payload(), Product.class);
        if (product.productId() == null || product.name() == null || product.price() == null) {
            throw new PermanentException("Event " + event + " has no productId, name or price.");
        }
        upsert(connection, product.productId(), product, false, event);
    }

    private static void delete(Connection connection, Event event) throws SQLException {
        Product product = Json.read(event.payload(), Product.class);
        if (product.productId() == null) {
            throw new PermanentException("Event " + event + " has no productId.");
        }
        upsert(connection, product.productId(), product, true, event);
    }

    private static void upsert(Connection connection, UUID id, Product product, boolean deleted, Event event)
            throws SQLException {
        Rows.update(
                connection,
                UPSERT,
                id,
                product.name() == null ? "" : product.name(),
                product.description() == null ? "" : product.description(),
                product.price() == null ? BigDecimal.ZERO : product.price(),
                product.currency() == null ? "EUR" : product.currency(),
                product.active() == null || product.active(),
                deleted,
                event.occurredAt().atOffset(ZoneOffset.UTC));
    }

    private void find(Context context) {
        String query = context.queryParam("q") == null ? "" : String.valueOf(context.queryParam("q"));
        String sizeText = context.queryParam("size") == null ? "20" : String.valueOf(context.queryParam("size"));
        if (query.length() > 200 || query.indexOf('\0') >= 0) {
            throw ApiException.badRequest("q must have up to 200 characters.");
        }
        if (!sizeText.matches("[1-9]\\d?|100")) {
            throw ApiException.badRequest("size must be between 1 and 100.");
        }
        List<Map<String, Object>> hits = runtime.transaction(connection -> Rows.list(
                connection,
                FIND,
                row -> {
                    Map<String, Object> hit = new LinkedHashMap<>();
                    hit.put("productId", row.getObject("product_id", UUID.class));
                    hit.put("name", row.getString("name"));
                    hit.put("description", row.getString("description"));
                    hit.put("price", row.getBigDecimal("price"));
                    hit.put("currency", row.getString("currency"));
                    hit.put("score", row.getFloat("score"));
                    return hit;
                },
                query,
                query.strip(),
                Integer.parseInt(sizeText)));
        HttpApi.json(context, 200, Map.of("hits", hits));
    }

    @Override
    public void close() {
        runtime.close();
    }

    public static void main(String[] arguments) {
        new SearchService(ServiceSettings.of("search-service", System.getenv())).start();
    }
}
