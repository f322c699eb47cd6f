package io.waybill.chaos.fault;

import io.waybill.chaos.world.Shape;
import io.waybill.chaos.world.World;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Somebody else holds the connections that everybody needs. */
final class ConnectionsTaken implements Fault {
    private static final int MOST = 1_000;

    @Override
    public String name() {
        return "connections-taken";
    }

    @Override
    public String description() {
        return "the relays' pools shrink to one connection, and a stranger takes all that the database has left";
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
    public Injection draw(Random random, Shape shape) {
        return new Injection() {
            private final List<Connection> taken = new ArrayList<>();

            private void takeAll(String jdbcUrl) {
                try {
                    while (taken.size() < MOST) {
                        taken.add(DriverManager.getConnection(jdbcUrl));
                    }
                } catch (SQLException noneLeft) {
                    // that is the point
                }
            }

            @Override
            public String parameters() {
                return "";
            }

            @Override
            public void inject(World world) {
                world.relays().forEach(relay -> relay.tell("pool 1"));
                takeAll(world.database().jdbcUrl());
            }

            @Override
            public void heal(World world) throws SQLException {
                for (Connection connection : taken) {
                    connection.close();
                }
                world.relays().forEach(relay -> relay.tell("pool 5"));
            }

            @Override
            public int windows() {
                return shape.relays();
            }
        };
    }
}
