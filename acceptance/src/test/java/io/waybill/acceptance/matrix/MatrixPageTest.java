package io.waybill.acceptance.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page lists exactly the pairs and columns that the tests cover. */
class MatrixPageTest {
    private static final Path HOME = Path.of("..");

    @Test
    void thePageIsComplete() throws IOException {
        assertThat(complaints(page()))
                .as("%s; run ./waybill test, then generate the page again", MatrixPage.FILE)
                .isEmpty();
    }

    @Test
    void missingAndAdditionalRowsAreFound() throws IOException {
        String page = page();
        List<String> rows = rows(page).toList();
        String last = rows.get(rows.size() - 1);
        assertThat(complaints(page.replace(last + "\n", ""))).containsExactly("lacks H2, queue / NATS JetStream");
        assertThat(complaints(page.replace(last, last + "\n" + last.replace("NATS JetStream", "Pulsar"))))
                .containsExactly("names H2, queue / Pulsar, which no test runs");
        assertThat(complaints(page.replace("| zombie | poison |", "| poison |")))
                .contains("has other columns than " + MatrixPage.COLUMNS);
        assertThat(complaints(page.replace(last, last.replaceFirst("\\d[\\d,]* \\|$", "– |"))))
                .containsExactly("has no figure in: " + last.replaceFirst("\\d[\\d,]* \\|$", "– |"));
    }

    /** A new transport or store must take part in the matrix. */
    @Test
    void everyTransportOfTheBuildIsInTheMatrix() throws IOException {
        try (Stream<Path> folders = Files.list(HOME.resolve("transports"))) {
            assertThat(folders.map(folder -> folder.getFileName().toString())
                            .filter(folder -> !folder.equals("support"))) // shared code of the transports
                    .containsExactlyInAnyOrderElementsOf(Arrays.stream(MatrixTransport.values())
                            .map(MatrixTransport::folder)
                            .toList());
        }
    }

    private static String page() throws IOException {
        return Files.readString(HOME.resolve(MatrixPage.FILE));
    }

    private static List<String> complaints(String page) {
        List<String> complaints = new ArrayList<>();
        if (!page.contains("| " + String.join(" | ", MatrixPage.COLUMNS) + " |\n")) {
            complaints.add("has other columns than " + MatrixPage.COLUMNS);
        }
        Set<String> due = Arrays.stream(MatrixStore.values())
                .flatMap(store -> Arrays.stream(MatrixTransport.values())
                        .map(transport -> store.label() + " / " + transport.label()))
                .collect(Collectors.toCollection(HashSet::new));
        rows(page).forEach(row -> {
            List<String> cells =
                    Arrays.stream(row.split("\\|", -1)).map(String::strip).toList();
            String pair = cells.get(1) + " / " + cells.get(2);
            if (!due.remove(pair)) {
                complaints.add("names " + pair + ", which no test runs");
            }
            boolean full = cells.subList(3, cells.size() - 1).stream().allMatch(cell -> cell.matches("[\\d,+ ]+"));
            if (!full || cells.size() != MatrixPage.COLUMNS.size() + 2) {
                complaints.add("has no figure in: " + row);
            }
        });
        due.forEach(pair -> complaints.add("lacks " + pair));
        return complaints;
    }

    /** Returns the rows of the first table, which is the only one with this number of columns. */
    private static Stream<String> rows(String page) {
        return page.lines()
                .filter(line -> line.startsWith("| ") && line.split("\\|", -1).length > 8)
                .filter(line -> !line.startsWith("| store |"));
    }
}
