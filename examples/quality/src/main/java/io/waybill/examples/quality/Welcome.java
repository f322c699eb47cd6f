package io.waybill.examples.quality;

import io.waybill.examples.quality.worker.WorkerMode;
import java.nio.file.Path;

/** The text that {@code ./waybill example quality} prints after the start. */
final class Welcome {
    private Welcome() {}

    static String text(int port, Path folder, QualityProperties properties) {
        return """

                Quality is up; Ctrl-C stops it. Its data stay in %2$s.

                  page       http://127.0.0.1:%1$d/
                  API        http://127.0.0.1:%1$d/swagger-ui/index.html
                  metrics    http://127.0.0.1:%1$d/metrics
                  users      quality, procurement, auditor, admin; each password is the name
                  worker     %3$s

                Requests to copy:

                  URL=http://127.0.0.1:%1$d
                  TOKEN=$(curl -s $URL/auth/login -H 'Content-Type: application/json' \\
                    -d '{"username": "admin", "password": "admin"}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
                  curl -s $URL/suppliers -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
                    -d "{\\"name\\": \\"Bolts $RANDOM\\", \\"certification_expiry\\": \\"2030-12-31\\"}"
                  curl -s $URL/ncs -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
                    -d '{"supplier_id": 1, "severity": "high", "description": "Thread is cut too deep"}'
                  curl -s -X PATCH $URL/ncs/1/close -H "Authorization: Bearer $TOKEN"
                  curl -s $URL/audit-log -H "Authorization: Bearer $TOKEN"
                  curl -s $URL/kpi -H "Authorization: Bearer $TOKEN"
                """.formatted(port, folder, worker(properties));
    }

    private static String worker(QualityProperties properties) {
        QualityProperties.Chaos chaos = properties.chaos();
        return (properties.worker() == WorkerMode.OFF ? "off: events wait" : "on")
                + (chaos.failingHandlers().isEmpty()
                        ? ""
                        : "; handlers fail: " + String.join(", ", chaos.failingHandlers()))
                + (chaos.failEveryRequest() == 0 ? "" : "; every request no. " + chaos.failEveryRequest() + " fails");
    }
}
