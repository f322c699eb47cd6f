package io.waybill.saga;

import io.waybill.WaybillException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What happens to the steps in progress when a step beside them fails. In every case, no further step begins. */
public final class ParallelFailure {
    private static final ParallelFailure FAIL_FAST = new ParallelFailure("FAIL_FAST", Duration.ZERO);
    private static final ParallelFailure WAIT_ALL = new ParallelFailure("WAIT_ALL", null);

    /** The default: five seconds of grace. */
    static final ParallelFailure DEFAULT = failFastWithGrace(Duration.ofSeconds(5));

    private final String name;
    private final @Nullable Duration grace;

    private ParallelFailure(String name, @Nullable Duration grace) {
        this.name = name;
        this.grace = grace;
    }

    /** Compensation begins at once. Steps in progress become in doubt, and their late replies change nothing. */
    public static ParallelFailure failFast() {
        return FAIL_FAST;
    }

    /** Compensation begins when every step in progress has succeeded, failed or timed out. */
    public static ParallelFailure waitAll() {
        return WAIT_ALL;
    }

    /** Like {@link #waitAll}, but after {@code grace} the steps that are still in progress become in doubt. */
    public static ParallelFailure failFastWithGrace(Duration grace) {
        if (grace.isNegative() || grace.isZero()) {
            throw new WaybillException("The grace of parallel steps must be positive, not " + grace + ".");
        }
        return new ParallelFailure("FAIL_FAST_WITH_GRACE", grace);
    }

    /** How long steps in progress may continue after a failure; null without a limit. */
    public @Nullable Duration grace() {
        return grace;
    }

    @Override
    public String toString() {
        return grace == null || grace.isZero() ? name : name + "(" + grace.toMillis() + " ms)";
    }
}
