package io.waybill.examples.quality.security;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports the remedy instead of a stack trace. */
final class ExposedDemoUsersAnalyzer extends AbstractFailureAnalyzer<ExposedDemoUsersException> {
    @Override
    protected FailureAnalysis analyze(Throwable root, ExposedDemoUsersException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Keep the address 127.0.0.1 and reach the service through a tunnel (ssh -L), or replace the class DemoUsers"
                        + " by users of your own.",
                cause);
    }
}
