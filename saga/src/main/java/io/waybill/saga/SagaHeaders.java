package io.waybill.saga;

/**
 * The headers of commands. A participant copies every header that begins with {@code saga-} to its reply. {@link
 * io.waybill.saga.participant.SagaParticipant} does this; a service in another language must do it, too.
 */
public final class SagaHeaders {
    public static final String SAGA_ID = "saga-id";

    public static final String STEP = "saga-step";

    /** Identifies the command. Every attempt has the same id, so that a participant executes the command once. */
    public static final String COMMAND_ID = "saga-command-id";

    public static final String ATTEMPT = "saga-attempt";

    /** Only in compensations: the id of the command that is to be undone. */
    public static final String COMPENSATES = "saga-compensates";

    private SagaHeaders() {}
}
