import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Sums up the reports that Surefire has written since a time: {@code java TestSummary.java FOLDER EPOCH_SECOND}. Exits with 1 if a test
 * failed or no test ran.
 */
final class TestSummary {
    private static final Set<String> WITHOUT_REPORTS = Set.of(".git", ".waybill", "node_modules", "src");
    private static final int MOST_FAILURES = 20;

    private int passed;
    private int skipped;
    private final List<String> failures = new ArrayList<>();
    private final Map<String, Integer> reasons = new TreeMap<>();

    public static void main(String[] arguments) throws IOException {
        TestSummary summary = new TestSummary();
        FileTime since = FileTime.from(Instant.ofEpochSecond(Long.parseLong(arguments[1])));
        for (Path report : reports(Path.of(arguments[0]), since)) {
            summary.add(report);
        }
        System.out.println(); // Maven can end with escape sequences and no line end
        printCoverage(Path.of(arguments[0], "coverage/target/site/jacoco-aggregate/jacoco.csv"), since);
        summary.print();
        System.exit(summary.failures.isEmpty() && summary.passed + summary.skipped > 0 ? 0 : 1);
    }

    private static List<Path> reports(Path folder, FileTime since) throws IOException {
        List<Path> reports = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return WITHOUT_REPORTS.contains(String.valueOf(directory.getFileName()))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.getParent().endsWith("surefire-reports")
                        && file.getFileName().toString().matches("TEST-.*\\.xml")
                        && attributes.lastModifiedTime().compareTo(since) >= 0) {
                    reports.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            /** Tests that are still ending may delete files while this walk is under way. */
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) {
                return FileVisitResult.CONTINUE;
            }
        });
        return reports;
    }

    private void add(Path report) {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        try (InputStream in = Files.newInputStream(report)) {
            XMLStreamReader xml = factory.createXMLStreamReader(in);
            String suite = "";
            String test = "";
            boolean counted = true;
            while (xml.hasNext()) {
                int kind = xml.next();
                if (kind == XMLStreamConstants.START_ELEMENT) {
                    switch (xml.getLocalName()) {
                        case "testsuite" -> suite = xml.getAttributeValue(null, "name");
                        case "testcase" -> {
                            test = xml.getAttributeValue(null, "classname") + "." + xml.getAttributeValue(null, "name");
                            counted = false;
                        }
                        case "failure", "error" -> {
                            if (!counted) {
                                failures.add(test + ": " + firstLine(xml));
                                counted = true;
                            }
                        }
                        case "skipped" -> {
                            if (!counted) {
                                skipped++;
                                reasons.merge(firstLine(xml), 1, Integer::sum);
                                counted = true;
                            }
                        }
                        default -> {}
                    }
                } else if (kind == XMLStreamConstants.END_ELEMENT && xml.getLocalName().equals("testcase") && !counted) {
                    passed++;
                }
            }
            if (test.isEmpty()) {
                // Surefire leaves out the tests of nested classes when their outer class is aborted.
                skipped++;
                reasons.merge("no test of " + suite + " could run; a line NOT RUN gives the reason", 1, Integer::sum);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + report, e);
        } catch (XMLStreamException e) {
            failures.add(report + ": the report is incomplete, so its JVM may have crashed: " + e.getMessage());
        }
    }

    /** The message, or else the first line of the stack trace: Surefire writes no message for an aborted test. */
    private static String firstLine(XMLStreamReader xml) throws XMLStreamException {
        String message = xml.getAttributeValue(null, "message");
        String type = xml.getAttributeValue(null, "type");
        String text = message == null || message.isBlank() ? xml.getElementText() : message;
        if (type != null && text.startsWith(type + ": ")) {
            text = text.substring(type.length() + 2);
        }
        String line = text.strip().lines().findFirst().orElse("").replaceFirst("^Assumption failed: ", "");
        return !line.isEmpty() ? line : type == null ? "no reason given" : type;
    }

    /** Prints the totals of the report that JaCoCo has written since the time, if there is one. */
    private static void printCoverage(Path report, FileTime since) throws IOException {
        if (!Files.exists(report) || Files.getLastModifiedTime(report).compareTo(since) < 0) {
            return;
        }
        List<String> lines = Files.readAllLines(report);
        List<String> columns = List.of(lines.get(0).split(","));
        System.out.printf(
                Locale.ROOT,
                "Coverage: %.1f %% of lines, %.1f %% of branches%n",
                covered(lines, columns, "LINE"),
                covered(lines, columns, "BRANCH"));
    }

    private static double covered(List<String> lines, List<String> columns, String kind) {
        long covered = sum(lines, columns.indexOf(kind + "_COVERED"));
        return 100.0 * covered / Math.max(1, covered + sum(lines, columns.indexOf(kind + "_MISSED")));
    }

    private static long sum(List<String> lines, int column) {
        return lines.stream().skip(1).mapToLong(line -> Long.parseLong(line.split(",")[column])).sum();
    }

    private void print() {
        if (!failures.isEmpty()) {
            System.out.println("Failed:");
            failures.stream().limit(MOST_FAILURES).forEach(failure -> System.out.println("  " + failure));
            if (failures.size() > MOST_FAILURES) {
                System.out.println("  and " + (failures.size() - MOST_FAILURES) + " more");
            }
        }
        if (!reasons.isEmpty()) {
            System.out.println("Skipped:");
            reasons.forEach((reason, count) -> System.out.println("  " + count + " because " + reason));
        }
        System.out.println("Tests: " + passed + " passed, " + failures.size() + " failed, " + skipped + " skipped");
    }
}
