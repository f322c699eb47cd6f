package io.waybill.rabbitmq;

import com.rabbitmq.client.AMQP;
import io.waybill.transport.Failure;
import io.waybill.transport.support.PendingMessage;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the message that made RabbitMQ close a channel. RabbitMQ closes the channel when a message breaks a rule, but does not name the
 * message, and all messages in flight on the channel are lost. If they were all reported as an outage, the relay would send them
 * together again, forever.
 */
final class ChannelClosure {
    private static final Pattern TOO_LARGE = Pattern.compile("message size (\\d+)\\D+(\\d+)");

    private final Predicate<PendingMessage> isCause;
    private final String replyText;
    private final boolean permanent;
    private final boolean causeFound;

    private ChannelClosure(
            Predicate<PendingMessage> isCause, String replyText, boolean permanent, List<PendingMessage> open) {
        this.isCause = isCause;
        this.replyText = replyText;
        this.permanent = permanent;
        this.causeFound = open.stream().anyMatch(isCause);
    }

    static ChannelClosure of(@Nullable Exception cause, List<PendingMessage> open, SizeLimit limit) {
        int code = cause == null ? 0 : RabbitConnector.replyCode(cause);
        String replyText = cause == null ? "" : RabbitConnector.describe(cause);
        Matcher sizes = TOO_LARGE.matcher(replyText);
        if (code == AMQP.PRECONDITION_FAILED && sizes.find()) {
            long most = Long.parseLong(sizes.group(2));
            limit.lowerTo(most);
            return new ChannelClosure(message -> message.message().value().length > most, replyText, true, open);
        }
        if (code == AMQP.ACCESS_REFUSED) {
            return new ChannelClosure(
                    message -> replyText.contains("'" + message.message().topic() + "'"), replyText, false, open);
        }
        return new ChannelClosure(message -> false, replyText, false, open);
    }

    /** Returns the failure of one of the lost messages; empty when none of them is known to be the cause. */
    Optional<Failure> failureOf(PendingMessage message) {
        if (!causeFound) {
            return Optional.empty();
        }
        if (!isCause.test(message)) {
            return Optional.of(Failure.abandoned(
                    "RabbitMQ closed the channel of " + message.event() + " because of another message: " + replyText));
        }
        String reason = "RabbitMQ rejects " + message.event() + ": " + replyText;
        return Optional.of(permanent ? Failure.permanent(reason) : Failure.destination(reason));
    }
}
