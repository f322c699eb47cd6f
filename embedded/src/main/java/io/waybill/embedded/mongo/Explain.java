package io.waybill.embedded.mongo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonString;

/** The plan of a query, in the part of MongoDB's form that names the index. */
final class Explain {
    private static final Pattern INDEX = Pattern.compile("(?m)^\\s*indexName: (\\S+)$");
    private static final Pattern BOUNDS = Pattern.compile("(?m)^\\s*indexBounds: (.*)$");

    private Explain() {}

    static BsonDocument find(Connection connection, String database, BsonDocument find) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (PreparedStatement statement = Connections.prepare(
                        connection,
                        "EXPLAIN SELECT document FROM documentdb_api_catalog.bson_aggregation_find(?, B)",
                        database,
                        Bson.encode(find));
                ResultSet lines = statement.executeQuery()) {
            while (lines.next()) {
                plan.append(lines.getString(1)).append('\n');
            }
        }
        BsonDocument stage = new BsonDocument("stage", new BsonString("COLLSCAN"));
        Matcher index = INDEX.matcher(plan);
        if (index.find() && plan.indexOf("Seq Scan") < 0) {
            stage.append("stage", new BsonString("IXSCAN")).append("indexName", new BsonString(index.group(1)));
            Matcher bounds = BOUNDS.matcher(plan);
            stage.append("indexBounds", new BsonString(bounds.find() ? bounds.group(1) : ""));
        }
        return Bson.ok().append("queryPlanner", new BsonDocument("winningPlan", stage));
    }
}
