package io.waybill.server.database.mongodb;

import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import io.waybill.WaybillException;
import io.waybill.mongodb.OutboxSchema;
import io.waybill.server.config.Configuration;
import io.waybill.server.database.DatabaseFindings;
import io.waybill.server.database.OutboxConnection;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Finding;
import io.waybill.server.problem.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bson.Document;

/** Checks MongoDB: version, replica set, durability, clock, collections and indexes, and the state of relays and lanes. */
final class MongoDoctor {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int OLDEST_VERSION = 5;

    private final MongoOutboxDatabase database;
    private final MongoClient client;
    private final List<Finding> findings = new ArrayList<>();

    private MongoDoctor(MongoOutboxDatabase database, MongoClient client) {
        this.database = database;
        this.client = client;
    }

    static List<Finding> examine(MongoOutboxDatabase database, Configuration configuration) {
        database.address().access().require(configuration);
        try (MongoClient client = database.withTimeout(LIMIT)) {
            MongoDoctor doctor = new MongoDoctor(database, client);
            try {
                doctor.examine();
            } catch (MongoException | WaybillException e) {
                Problem problem = database.explain(e);
                doctor.findings.add(
                        Finding.failure("database", String.valueOf(problem.getMessage()), "", Exit.DATABASE));
            }
            return doctor.findings;
        }
    }

    private void examine() {
        database.ping(client);
        version();
        Topology topology = Topology.of(client);
        if (topology.hasTransactions()) {
            findings.add(Finding.ok(
                    "transactions", topology.sharded() ? "a sharded cluster" : "replica set " + topology.replicaSet()));
        } else {
            findings.add(Finding.failure(
                    "transactions",
                    "The server is standalone: it has no transactions.",
                    "Run it as a replica set; one member is enough (mongod --replSet and rs.initiate()).",
                    Exit.DATABASE));
        }
        if (!topology.sharded()) {
            members();
        }
        defaultWriteConcern();
        findings.add(DatabaseFindings.clock(() -> Topology.of(client).time()));
        schema(topology);
    }

    private void version() {
        String version = admin(new Document("buildInfo", 1))
                .map(info -> info.getString("version"))
                .orElse("of unknown version");
        String name = "MongoDB " + version + " at " + database.address();
        findings.add(
                version.matches("\\d+\\..*") && Integer.parseInt(version.replaceFirst("\\..*", "")) < OLDEST_VERSION
                        ? Finding.failure("database", name, "Use MongoDB 5.0 or newer.", Exit.DATABASE)
                        : Finding.ok("database", name));
    }

    /** A relay commits with the write concern "majority", which waits while too few members run. */
    private void members() {
        Optional<Document> status = admin(new Document("replSetGetStatus", 1));
        if (status.isEmpty() || status.get().getInteger("writeMajorityCount") == null) {
            findings.add(notChecked("majority", "replSetGetStatus"));
            return;
        }
        int needed = status.get().getInteger("writeMajorityCount");
        long running = status.get().getList("members", Document.class).stream()
                .filter(member -> List.of(1, 2).contains(member.getInteger("state"))) // primary or secondary
                .count();
        String detail = running + " members hold the data, and a commit waits for " + needed;
        findings.add(
                running >= needed
                        ? Finding.ok("majority", detail)
                        : Finding.failure(
                                "majority",
                                detail + ": commits of a relay time out.",
                                "Start the missing members; see rs.status().",
                                Exit.DATABASE));
    }

    /** Concerns the transactions of services. Waybill's own transactions always use "majority" with journal. */
    private void defaultWriteConcern() {
        Optional<Object> w = admin(new Document("getDefaultRWConcern", 1))
                .map(answer -> answer.get("defaultWriteConcern", Document.class))
                .map(concern -> concern.get("w"));
        if (w.isEmpty()) {
            findings.add(notChecked("write concern", "getDefaultRWConcern"));
            return;
        }
        findings.add(
                w.get().equals("majority")
                        ? Finding.ok("write concern", "majority is the default of the server")
                        : Finding.warning(
                                "write concern",
                                "The default of the server is " + w.get()
                                        + ": a failover can lose transactions that were reported as committed, with their"
                                        + " events.",
                                "Add w=majority to the address that services use, or set it with setDefaultRWConcern."));
    }

    private static Finding notChecked(String check, String command) {
        return Finding.warning(
                check,
                "not checked: the server does not answer " + command + ".",
                "Run this command with a user that has the role clusterMonitor.");
    }

    private void schema(Topology topology) {
        List<String> problems = OutboxSchema.problems(client, database.name());
        if (!problems.isEmpty()) {
            findings.add(Finding.failure("schema", String.join(" ", problems), "", Exit.DATABASE));
            return;
        }
        findings.add(
                Finding.ok("schema", "version " + OutboxSchema.VERSION + ", collections and indexes are complete"));
        if (!topology.hasTransactions()) {
            return;
        }
        OutboxConnection outbox = new MongoOutboxConnection(database, client, List::of, () -> {});
        findings.addAll(DatabaseFindings.relays(outbox.view().status()));
        findings.addAll(DatabaseFindings.inbox(outbox.groups()));
    }

    /** Runs a command on the database "admin". Returns empty if this user may not run it, or the server does not know it. */
    private Optional<Document> admin(Document command) {
        try {
            return Optional.of(client.getDatabase("admin").runCommand(command, ReadPreference.primary()));
        } catch (MongoException e) {
            if (MongoProblems.isTransient(e)) {
                throw e;
            }
            return Optional.empty();
        }
    }
}
