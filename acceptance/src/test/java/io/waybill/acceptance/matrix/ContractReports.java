package io.waybill.acceptance.matrix;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/** Reads the number of passed contract tests from the reports of Surefire. */
final class ContractReports {
    private ContractReports() {}

    static int passed(Path home, MatrixStore store) {
        Path module = home.resolve("stores").resolve("jdbc");
        return Stream.of(
                        store.contract() + "Store",
                        store.contract() + "Operator",
                        "inbox." + store.inboxContract(),
                        "inbox." + store.inboxContract() + "Operator")
                .mapToInt(name -> passed(module, "io.waybill.jdbc." + name + "Test"))
                .sum();
    }

    static int passed(Path home, MatrixTransport transport) {
        Path module = home.resolve("transports").resolve(transport.folder());
        return Stream.of("Transport", "SendInOrder")
                .mapToInt(name ->
                        passed(module, "io.waybill." + transport.folder() + "." + transport.contract() + name + "Test"))
                .sum();
    }

    private static int passed(Path module, String test) {
        Path report = module.resolve("target").resolve("surefire-reports").resolve("TEST-" + test + ".xml");
        try {
            Element suite = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(report.toFile())
                    .getDocumentElement();
            if (number(suite, "failures") + number(suite, "errors") > 0) {
                throw new IllegalStateException(test + " has failed. Fix it before you publish its results.");
            }
            return number(suite, "tests") - number(suite, "skipped");
        } catch (IOException | SAXException | ParserConfigurationException e) {
            throw new IllegalStateException("Cannot read " + report + ". Run ./waybill test first.", e);
        }
    }

    private static int number(Element suite, String attribute) {
        return Integer.parseInt(suite.getAttribute(attribute));
    }
}
