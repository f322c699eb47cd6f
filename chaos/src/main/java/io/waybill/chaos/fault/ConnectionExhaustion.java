package io.waybill.chaos.fault;

import io.waybill.chaos.cluster.Cluster;
import io.waybill.chaos.cluster.ClusterSize;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Another client holds the connections of the database. */
final class ConnectionExhaustion implements Fault {
    private static final int MOST = 1_000;

    @Override
    public String name() {
        return "connections-taken";
    }

    @Override
    public String description() {
        return "the pools of the relays shrink to one connection, and another client takes all remaining connections of the database";
    }

    @Override
    public Set<Target> targets() {
        return Set.of(Target.RELAYS, Target.DATABASE);
    }

    @Override
    public Span lasts() {
        return new Span(3, 8);
    }

    @Override
    public Injection draw(Random random, ClusterSize size) {
        return new Injection() {
            private final List<Connection> taken = new ArrayList<>();

            private void takeAll(String jdbcUrl) {
                try {
                    while (taken.size() < MOST) {
                        taken.add(DriverManager.getConnection(jdbcUrl));
                    }
                } catch (SQLException noneLeft) {
                    // no connection is left, as intended
                }
            }

            @Override
            public String parameters() {
                return "";
            }

            @Override
            public void inject(Cluster cluster) {
                cluster.relays().forEach(relay -> relay.tell("pool 1"));
                takeAll(cluster.database().jdbcUrl());
            }

            @Override
            public void heal(Cluster cluster) throws SQLException {
                for (Connection connection : taken) {
                    connection.close();
                }
                cluster.relays().forEach(relay -> relay.tell("pool 5"));
            }

            @Override
            public int interruptions() {
                return size.relays();
            }
        };
    }
}
