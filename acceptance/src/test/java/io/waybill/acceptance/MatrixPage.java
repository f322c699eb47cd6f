package io.waybill.acceptance;

import io.waybill.acceptance.MatrixResult.Count;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Writes {@code docs/matrix.md} from the files that the tests of all pairs leave. Needs no class but those beside it:
 * {@code java -cp acceptance/target/test-classes io.waybill.acceptance.MatrixPage}
 */
final class MatrixPage {
    static final Path FILE = Path.of("docs", "matrix.md");
    static final List<String> COLUMNS = List.of(
            "store",
            "transport",
            "contract",
            "kill",
            "restart",
            "zombie",
            "poison",
            "outage",
            "events",
            "faults",
            "duplicates");

    private static final String TOP = """
            # Every store with every transport

            Written by `java -cp acceptance/target/test-classes io.waybill.acceptance.MatrixPage` from the results that the tests leave (`./waybill test`);
            not by hand. Each row is one run of `KafkaMatrixTest`, `RabbitMatrixTest` or `NatsMatrixTest`: three writers, relays in processes of their own,
            a real broker behind a proxy, and one fault after another while the writers go on. In each of them nothing was **lost**, **invented**,
            **altered** or **out of order**, as the checker found by comparing the writers' history, the database and what a plain client read from the
            broker; other keys went on meanwhile. A run fails unless each fault was seen to happen.

            """;

    private static final String LEGEND = """

            | column | what happened | the figure |
            |---|---|---|
            | contract | – | tests of the store's contracts (`StoreContract`, `OperatorContract`, `InboxContract`, `InboxOperatorContract`) + of the transport's (`TransportContract`, `LineContract`), all passed |
            | kill | a relay was killed with -9 in the middle of a batch; another took its lanes over | events that it had at the broker and not settled |
            | restart | the broker was killed with -9 and started again | events that waited when the relay knew; none was charged an attempt |
            | zombie | a relay was stopped with SIGSTOP in the middle of a batch and continued when its lanes belonged to another | its writes that were refused |
            | poison | an event too large for the broker and one for a topic that the broker does not have, each between two good ones of its key, which went on; then one too large whose key had to wait until it was discarded | dead letters |
            | outage | the broker was out of reach for more than three seconds | events that waited; none was charged an attempt |
            | duplicates | – | records too many on the broker, all of them of events that were in flight at a fault; NATS keeps one of those that come within its duplicate window |

            The consumers' side is tested with PostgreSQL for each broker: [guarantees](guarantees.md). MySQL was not run: [databases](databases.md).
            """;

    private MatrixPage() {}

    /** @param arguments the repository's folder, unless it is the current one */
    public static void main(String[] arguments) throws IOException {
        Path home = Path.of(arguments.length == 0 ? "" : arguments[0]).toAbsolutePath();
        Files.writeString(home.resolve(FILE), of(home));
        System.out.println("Wrote " + FILE + ".");
    }

    static String of(Path home) throws IOException {
        StringBuilder page = new StringBuilder(TOP);
        page.append(row(COLUMNS));
        page.append("|---|---|").append("---:|".repeat(COLUMNS.size() - 2)).append('\n');
        for (MatrixStore store : MatrixStore.values()) {
            for (MatrixTransport transport : MatrixTransport.values()) {
                page.append(row(cells(home, store, transport)));
            }
        }
        return page.append(LEGEND).toString();
    }

    private static List<String> cells(Path home, MatrixStore store, MatrixTransport transport) throws IOException {
        MatrixResult result = MatrixResult.read(
                        home.resolve("acceptance").resolve(MatrixResult.FOLDER), store, transport)
                .orElseThrow(() -> new IllegalStateException(
                        store.label() + " with " + transport.label() + " was not run. Run ./waybill test first."));
        List<String> cells = new ArrayList<>(List.of(
                store.label(),
                transport.label(),
                ContractReports.passed(home, store) + " + " + ContractReports.passed(home, transport)));
        Stream.of(Count.values())
                .map(count -> String.format(Locale.ROOT, "%,d", result.count(count)))
                .forEach(cells::add);
        return cells;
    }

    private static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }
}
