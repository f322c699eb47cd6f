package io.waybill.server.cli.run;

import io.waybill.internal.Secrets;
import io.waybill.server.broker.BrokerAddress;
import io.waybill.server.broker.BrokerKind;
import io.waybill.server.cli.command.Output;
import io.waybill.server.config.Settings;
import io.waybill.server.database.DatabaseAddress;
import io.waybill.server.up.Demo;
import java.util.Locale;

/** Prints the addresses of the servers and example commands when {@code waybill up} is ready. */
final class UpSummary {
    private final Output output;
    private final String also;

    /** @param also the flags that other commands need to find this instance; usually empty */
    UpSummary(Output output, String also) {
        this.output = output;
        this.also = also;
    }

    /** @param logins whether servers need logins, which {@code run.json} does not contain */
    void print(DatabaseAddress database, BrokerAddress broker, String http, boolean demo, boolean logins) {
        output.line();
        output.line(output.bold("Waybill is up."));
        output.line();
        fact("database", Secrets.mask(database.url()));
        fact("broker", broker.toString());
        fact("console", http);
        output.line();
        output.line("Append an event from a shell:");
        output.line("  ./waybill append --type order.placed --aggregate-type Order --key 42 --payload '{\"total\":10}'"
                + also);
        database.access().shellLine(database).ifPresent(line -> {
            output.line("or " + line.title() + ":");
            output.line("  " + line.line());
        });
        if (broker.kind() == BrokerKind.KAFKA) {
            output.line("Read it from the broker:");
            output.line("  ./waybill tail --topic order.placed --from-beginning" + also);
        }
        if (demo) {
            output.line(
                    "From time to time, the demo writes an event with a misspelled topic, which becomes a dead letter. It stops while five of them need a decision. To repair them:");
            output.line("  ./waybill dead-letters list" + also);
            output.line("  ./waybill dead-letters replay --all --topic " + Demo.REFUNDS
                    + " --reason 'the topic was misspelled'" + also);
        }
        output.line("Show the status:");
        output.line("  ./waybill status" + (demo ? " --watch" : "") + also);
        if (logins) {
            output.line("Logins are not stored. Pass them to these commands too, preferably as "
                    + Settings.DATABASE_USER.environmentName() + ", "
                    + Settings.DATABASE_PASSWORD.environmentName() + " and " + Settings.BROKER_URL.environmentName()
                    + ".");
        }
        output.line();
        output.line("Press Ctrl-C to stop. The data is kept.");
    }

    private void fact(String name, String value) {
        output.line("  " + String.format(Locale.ROOT, "%-10s", name) + value);
    }
}
