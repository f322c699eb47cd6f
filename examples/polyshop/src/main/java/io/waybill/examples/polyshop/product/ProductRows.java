package io.waybill.examples.polyshop.product;

import io.waybill.examples.polyshop.service.Json;
import io.waybill.examples.polyshop.service.Rows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The SQL of products and variants. */
final class ProductRows {
    private static final String PRODUCT =
            "SELECT id, name, description, price, currency, category_id, brand, status, created_at, updated_at FROM products ";
    private static final String VARIANT =
            "SELECT id, product_id, sku, price, attributes, status, created_at, updated_at FROM variants ";

    private ProductRows() {}

    static List<Product> page(Connection connection, int page, int size) throws SQLException {
        return Rows.list(
                connection,
                PRODUCT + "WHERE status <> 'DRAFT' ORDER BY created_at DESC, id LIMIT ? OFFSET ?",
                ProductRows::product,
                size,
                (long) page * size);
    }

    static Optional<Product> find(Connection connection, UUID id, boolean lock) throws SQLException {
        return Rows.first(connection, PRODUCT + "WHERE id = ?" + (lock ? " FOR UPDATE" : ""), ProductRows::product, id);
    }

    static void insert(Connection connection, UUID id, Changes.OfProduct product) throws SQLException {
        Rows.update(
                connection,
                "INSERT INTO products (name, description, price, currency, category_id, brand, status, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                product.name(),
                product.description(),
                product.price(),
                product.currency(),
                product.categoryId(),
                product.brand(),
                String.valueOf(product.status()),
                id);
    }

    static void update(Connection connection, UUID id, Changes.OfProduct product) throws SQLException {
        Rows.update(
                connection,
                "UPDATE products SET name = ?, description = ?, price = ?, currency = ?, category_id = ?, brand = ?, status = ?,"
                        + " updated_at = clock_timestamp() WHERE id = ?",
                product.name(),
                product.description(),
                product.price(),
                product.currency(),
                product.categoryId(),
                product.brand(),
                String.valueOf(product.status()),
                id);
    }

    static void delete(Connection connection, UUID id) throws SQLException {
        Rows.update(connection, "DELETE FROM products WHERE id = ?", id);
    }

    static List<Variant> variants(Connection connection, UUID product) throws SQLException {
        return Rows.list(connection, VARIANT + "WHERE product_id = ? ORDER BY sku", ProductRows::variant, product);
    }

    static Optional<Variant> variant(Connection connection, UUID product, UUID id) throws SQLException {
        return Rows.first(
                connection, VARIANT + "WHERE product_id = ? AND id = ? FOR UPDATE", ProductRows::variant, product, id);
    }

    /** Returns false if the SKU is in use. */
    static boolean insert(Connection connection, UUID product, UUID id, Changes.OfVariant variant) throws SQLException {
        return Rows.update(
                        connection,
                        "INSERT INTO variants (id, product_id, sku, price, attributes, status)"
                                + " VALUES (?, ?, ?, ?, CAST(? AS json), ?) ON CONFLICT (sku) DO NOTHING",
                        id,
                        product,
                        variant.sku(),
                        variant.price(),
                        Json.write(attributes(variant)),
                        String.valueOf(variant.status()))
                == 1;
    }

    static void update(Connection connection, UUID id, Changes.OfVariant variant) throws SQLException {
        Rows.update(
                connection,
                "UPDATE variants SET price = ?, attributes = CAST(? AS json), status = ?, updated_at = clock_timestamp() WHERE id = ?",
                variant.price(),
                Json.write(attributes(variant)),
                String.valueOf(variant.status()),
                id);
    }

    private static Map<String, String> attributes(Changes.OfVariant variant) {
        return variant.attributes() == null ? Map.of() : variant.attributes();
    }

    static void deleteVariant(Connection connection, UUID id) throws SQLException {
        Rows.update(connection, "DELETE FROM variants WHERE id = ?", id);
    }

    private static Product product(ResultSet row) throws SQLException {
        return new Product(
                row.getObject("id", UUID.class),
                row.getString("name"),
                row.getString("description"),
                row.getBigDecimal("price"),
                row.getString("currency"),
                row.getObject("category_id", UUID.class),
                row.getString("brand"),
                Product.Status.valueOf(row.getString("status")),
                row.getObject("created_at", OffsetDateTime.class),
                row.getObject("updated_at", OffsetDateTime.class));
    }

    private static Variant variant(ResultSet row) throws SQLException {
        Map<String, String> attributes = new HashMap<>();
        Json.tree(row.getString("attributes"))
                .properties()
                .forEach(
                        field -> attributes.put(field.getKey(), field.getValue().asString("")));
        return new Variant(
                row.getObject("id", UUID.class),
                row.getObject("product_id", UUID.class),
                row.getString("sku"),
                row.getBigDecimal("price"),
                Map.copyOf(attributes),
                Variant.Status.valueOf(row.getString("status")),
                row.getObject("created_at", OffsetDateTime.class),
                row.getObject("updated_at", OffsetDateTime.class));
    }
}
