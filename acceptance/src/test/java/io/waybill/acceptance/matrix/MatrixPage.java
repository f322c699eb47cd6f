package io.waybill.acceptance.matrix;

import io.waybill.acceptance.matrix.MatrixResult.Count;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Writes {@code docs/matrix.md} from the result files of the matrix tests. It needs only the classes of this folder:
 * {@code java -cp acceptance/target/test-classes io.waybill.acceptance.matrix.MatrixPage}
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

            This page is generated: `java -cp acceptance/target/test-classes io.waybill.acceptance.matrix.MatrixPage` writes it from the results of
            `./waybill test`. Each row is one store in `KafkaMatrixTest`, `RabbitMatrixTest` or `NatsMatrixTest`; the stores run at once. Three writers append events,
            relays run in child processes, the broker runs behind a proxy, and the faults follow one another. After each run, the checker compares the
            writers' history, the database and the messages that a plain client read from the broker. No event was **lost**, **published without a commit**, **altered** or
            **out of order**, and other keys continued during the faults. A run fails unless each fault had an effect.

            """;

    private static final String LEGEND = """

            | column | fault | figure |
            |---|---|---|
            | contract | – | passed tests of the store's contracts (`StoreContract`, `OperatorContract`, `InboxContract`, `InboxOperatorContract`) + of the transport's contracts (`TransportContract`, `SendInOrderContract`) |
            | kill | a relay was killed with SIGKILL in the middle of a batch; another relay took its lanes | events that the killed relay had sent but not settled |
            | restart | the broker was killed with SIGKILL and restarted | backlog when the relay detected the outage; no attempt was counted |
            | zombie | a relay was frozen with SIGSTOP in the middle of a batch and continued when another relay owned its lanes | rejected writes of the frozen relay |
            | poison | an event too large for the broker and an event for a missing topic, each between two good events of its key, which were published; then an oversized event that blocked its key until it was discarded | dead letters |
            | outage | the broker was unreachable for more than three seconds | backlog at the end; no attempt was counted |
            | duplicates | – | additional records on the broker, all of events that were in flight at a fault; NATS drops duplicates within its duplicate window |

            The consumers are tested with PostgreSQL for each broker: [guarantees](guarantees.md). MySQL was not run: [databases](databases.md).
            """;

    private MatrixPage() {}

    /** @param arguments the folder of the repository, if it is not the current one */
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
