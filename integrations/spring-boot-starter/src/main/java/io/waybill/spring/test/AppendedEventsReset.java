package io.waybill.spring.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Resets {@link AppendedEvents} before each test. */
final class AppendedEventsReset extends AbstractTestExecutionListener {
    @Override
    public void beforeTestMethod(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(AppendedEvents.class).ifAvailable(AppendedEvents::reset);
        }
    }

    @Override
    public int getOrder() {
        return 10_000; // inside the test's transaction, if it has one
    }
}
