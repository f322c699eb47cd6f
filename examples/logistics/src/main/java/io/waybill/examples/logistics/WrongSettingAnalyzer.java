package io.waybill.examples.logistics;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports the problem and its remedy, without a stack trace. */
final class WrongSettingAnalyzer extends AbstractFailureAnalyzer<WrongSettingException> {
    @Override
    protected FailureAnalysis analyze(Throwable root, WrongSettingException cause) {
        return new FailureAnalysis(cause.description(), cause.action(), cause);
    }
}
