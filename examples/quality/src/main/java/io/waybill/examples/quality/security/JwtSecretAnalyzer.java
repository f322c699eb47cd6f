package io.waybill.examples.quality.security;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports problem and remedy instead of a stack trace. */
final class JwtSecretAnalyzer extends AbstractFailureAnalyzer<JwtSecretException> {
    @Override
    protected FailureAnalysis analyze(Throwable root, JwtSecretException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Set a longer one (openssl rand -hex 32 makes one), or none: it is then made and kept in quality.data.",
                cause);
    }
}
