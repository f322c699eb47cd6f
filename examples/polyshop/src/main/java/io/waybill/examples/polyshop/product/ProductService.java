package io.waybill.examples.polyshop.product;

import io.javalin.http.Context;
import io.waybill.examples.polyshop.service.Access;
import io.waybill.examples.polyshop.service.ApiException;
import io.waybill.examples.polyshop.service.HttpApi;
import io.waybill.examples.polyshop.service.ServiceRuntime;
import io.waybill.examples.polyshop.service.ServiceSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The service product. */
public final class ProductService implements AutoCloseable {
    private final ServiceRuntime runtime;

    public ProductService(ServiceSettings settings) {
        runtime = ServiceRuntime.of(settings);
        runtime.createTables(ProductService.class, "product.sql");
        runtime.http()
                .get("/products", Access.PUBLIC, (context, caller) -> list(context))
                .post("/products", Access.ADMIN, (context, caller) -> create(context))
                .get("/products/{productId}", Access.PUBLIC, (context, caller) -> get(context))
                .patch("/products/{productId}", Access.ADMIN, (context, caller) -> change(context))
                .delete("/products/{productId}", Access.ADMIN, (context, caller) -> delete(context))
                .post("/products/{productId}/variants", Access.ADMIN, (context, caller) -> createVariant(context))
                .patch(
                        "/products/{productId}/variants/{variantId}",
                        Access.ADMIN,
                        (context, caller) -> changeVariant(context))
                .delete(
                        "/products/{productId}/variants/{variantId}",
                        Access.ADMIN,
                        (context, caller) -> deleteVariant(context));
    }

    public ProductService start() {
        runtime.start();
        return this;
    }

    public int port() {
        return runtime.port();
    }

    private void list(Context context) {
        int page = number(context, "page", 0, 1_000_000);
        int size = number(context, "size", 20, 100);
        HttpApi.json(context, 200, runtime.transaction(connection -> {
            List<Map<String, Object>> items = ProductRows.page(connection, page, size).stream()
                    .map(ProductService::view)
                    .toList();
            return Map.of("items", items, "page", page, "size", size);
        }));
    }

    private static int number(Context context, String name, int fallback, int most) {
        String text = context.queryParam(name);
        if (text == null) {
            return fallback;
        }
        if (!text.matches("\\d{1,7}") || Integer.parseInt(text) > most) {
            throw ApiException.badRequest(name + " must be between 0 and " + most + ".");
        }
        return Integer.parseInt(text);
    }

    private void create(Context context) {
        Changes.OfProduct given = HttpApi.body(context, Changes.OfProduct.class).over(null);
        UUID id = UUID.randomUUID();
        Product created = runtime.transaction(connection -> {
            ProductRows.insert(connection, id, given);
            Product product = ProductRows.find(connection, id, false).orElseThrow();
            Map<String, Object> data = data(product);
            data.put("createdAt", time(product.createdAt()));
            emit(connection, "product.product.created.v1", id, data);
            return product;
        });
        context.header("Location", "/products/" + id);
        HttpApi.json(context, 201, view(created));
    }

    private void get(Context context) {
        UUID id = productId(context);
        HttpApi.json(context, 200, runtime.transaction(connection -> {
            Map<String, Object> view = view(find(connection, id, false));
            view.put(
                    "variants",
                    ProductRows.variants(connection, id).stream()
                            .map(ProductService::view)
                            .toList());
            return view;
        }));
    }

    private void change(Context context) {
        UUID id = productId(context);
        Changes.OfProduct given = HttpApi.body(context, Changes.OfProduct.class);
        HttpApi.json(context, 200, runtime.transaction(connection -> {
            ProductRows.update(connection, id, given.over(find(connection, id, true)));
            Product changed = find(connection, id, false);
            Map<String, Object> data = data(changed);
            data.put("updatedAt", time(changed.updatedAt()));
            emit(connection, "product.product.updated.v1", id, data);
            return view(changed);
        }));
    }

    private void delete(Context context) {
        UUID id = productId(context);
        runtime.transaction(connection -> {
            find(connection, id, true);
            for (Variant variant : ProductRows.variants(connection, id)) {
                removed(connection, variant);
            }
            ProductRows.delete(connection, id);
            emit(connection, "product.product.deleted.v1", id, Map.of("productId", id, "deletedAt", now()));
            return true;
        });
        context.status(204);
    }

    private void createVariant(Context context) {
        UUID product = productId(context);
        UUID id = UUID.randomUUID();
        Changes.OfVariant given = HttpApi.body(context, Changes.OfVariant.class).over(null);
        HttpApi.json(context, 201, runtime.transaction(connection -> {
            String currency = find(connection, product, true).currency();
            if (!ProductRows.insert(connection, product, id, given)) {
                throw ApiException.conflict("SKU_TAKEN", "There is a variant with this SKU.");
            }
            Variant variant = variant(connection, product, id);
            Map<String, Object> data = data(variant, currency);
            data.put("createdAt", time(variant.createdAt()));
            emit(connection, "product.variant.created.v1", product, data);
            return view(variant);
        }));
    }

    private void changeVariant(Context context) {
        UUID product = productId(context);
        UUID id = ServiceRuntime.uuid("The id", context.pathParam("variantId"));
        Changes.OfVariant given = HttpApi.body(context, Changes.OfVariant.class);
        HttpApi.json(context, 200, runtime.transaction(connection -> {
            String currency = find(connection, product, true).currency();
            ProductRows.update(connection, id, given.over(variant(connection, product, id)));
            Variant changed = variant(connection, product, id);
            Map<String, Object> data = data(changed, currency);
            data.put("updatedAt", time(changed.updatedAt()));
            emit(connection, "product.variant.updated.v1", product, data);
            return view(changed);
        }));
    }

    private void deleteVariant(Context context) {
        UUID product = productId(context);
        UUID id = ServiceRuntime.uuid("The id", context.pathParam("variantId"));
        runtime.transaction(connection -> {
            find(connection, product, true);
            Variant variant = variant(connection, product, id);
            ProductRows.deleteVariant(connection, id);
            removed(connection, variant);
            return true;
        });
        context.status(204);
    }

    private void removed(Connection connection, Variant variant) {
        emit(
                connection,
                "product.variant.deleted.v1",
                variant.productId(),
                Map.of(
                        "variantId",
                        variant.id(),
                        "productId",
                        variant.productId(),
                        "sku",
                        variant.sku(),
                        "deletedAt",
                        now()));
    }

    private static Product find(Connection connection, UUID id, boolean lock) throws SQLException {
        return ProductRows.find(connection, id, lock)
                .orElseThrow(() -> ApiException.notFound("There is no such product."));
    }

    private static Variant variant(Connection connection, UUID product, UUID id) throws SQLException {
        return ProductRows.variant(connection, product, id)
                .orElseThrow(() -> ApiException.notFound("There is no such variant."));
    }

    private void emit(Connection connection, String type, UUID product, Map<String, Object> data) {
        runtime.outbox().append(connection, ServiceRuntime.event(type, "Product", product, data));
    }

    private static Map<String, Object> data(Product product) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("productId", product.id());
        data.put("name", product.name());
        data.put("description", product.description());
        data.put("price", product.price());
        data.put("currency", product.currency());
        put(data, "categoryId", product.categoryId());
        put(data, "brand", product.brand());
        data.put("active", product.status() == Product.Status.ACTIVE);
        return data;
    }

    private static Map<String, Object> data(Variant variant, String currency) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("variantId", variant.id());
        data.put("productId", variant.productId());
        data.put("sku", variant.sku());
        data.put("price", variant.price());
        data.put("currency", currency);
        data.put("attributes", variant.attributes());
        data.put("status", variant.status());
        return data;
    }

    private static Map<String, Object> view(Product product) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("id", product.id());
        view.put("name", product.name());
        view.put("description", product.description());
        view.put("price", product.price());
        view.put("currency", product.currency());
        put(view, "categoryId", product.categoryId());
        put(view, "brand", product.brand());
        view.put("status", product.status());
        view.put("createdAt", time(product.createdAt()));
        view.put("updatedAt", time(product.updatedAt()));
        return view;
    }

    private static Map<String, Object> view(Variant variant) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("id", variant.id());
        view.put("productId", variant.productId());
        view.put("sku", variant.sku());
        view.put("price", variant.price());
        view.put("attributes", variant.attributes());
        view.put("status", variant.status());
        return view;
    }

    private static void put(Map<String, Object> target, String name, @Nullable Object value) {
        if (value != null) {
            target.put(name, value);
        }
    }

    private static UUID productId(Context context) {
        return ServiceRuntime.uuid("The id", context.pathParam("productId"));
    }

    private static String time(OffsetDateTime time) {
        return time.toInstant().toString();
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
    }

    @Override
    public void close() {
        runtime.close();
    }

    public static void main(String[] arguments) {
        new ProductService(ServiceSettings.of("product-service", System.getenv())).start();
    }
}
