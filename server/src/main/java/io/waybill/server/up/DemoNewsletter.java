package io.waybill.server.up;

import io.waybill.Event;
import io.waybill.admin.Action;
import io.waybill.admin.OutboxActions;
import io.waybill.admin.OutboxPause;
import io.waybill.jdbc.JdbcOutbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** A few newsletters, whose type somebody has paused. They are published when an operator resumes the type. */
final class DemoNewsletter {
    private static final String TYPE = "newsletter.due";
    private static final int MOST = 6;

    private final DataSource source;
    private final JdbcOutbox outbox = JdbcOutbox.create();
    private int appended;

    private DemoNewsletter(DataSource source) {
        this.source = source;
    }

    /** Pauses the type once: the id of the action keeps a restarted demo from pausing it again after an operator has resumed it. */
    static DemoLoop start(DataSource source, OutboxActions actions) {
        actions.pause(
                OutboxPause.Scope.TYPE,
                TYPE,
                null,
                new Action("demo", "The newsletter has a spelling mistake in its title.").withId("demo-newsletter"));
        return DemoLoop.start("waybill-demo-newsletter", Duration.ofSeconds(10), new DemoNewsletter(source)::append);
    }

    private void append() throws SQLException {
        if (appended == MOST) {
            return;
        }
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            outbox.append(
                    connection,
                    Event.of(TYPE, "Newsletter", "newsletter-" + appended % 2, "{\"title\":\"Winter sael\"}"));
            connection.commit();
            appended++;
        }
    }
}
