package io.waybill.spring.internal.start;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports the problem and its remedy, without a stack trace. */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartFailure> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartFailure cause) {
        return new FailureAnalysis(cause.description(), cause.action(), rootFailure);
    }
}
