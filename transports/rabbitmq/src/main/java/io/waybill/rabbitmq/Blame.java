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
 * Who is to blame for the end of a channel. RabbitMQ answers a message that breaks a rule by closing the channel, without
 * naming the message; all others on their way go down with it. Taken for an outage they would come back together, and for ever.
 */
final class Blame {
    private static final Pattern TOO_LARGE = Pattern.compile("message size (\\d+)\\D+(\\d+)");

    private final Predicate<PendingMessage> culprit;
    private final String said;
    private final boolean forGood;
    private final boolean found;

    private Blame(Predicate<PendingMessage> culprit, String said, boolean forGood, List<PendingMessage> open) {
        this.culprit = culprit;
        this.said = said;
        this.forGood = forGood;
        this.found = open.stream().anyMatch(culprit);
    }

    static Blame of(@Nullable Exception cause, List<PendingMessage> open, SizeLimit limit) {
        int code = cause == null ? 0 : Broker.code(cause);
        String said = cause == null ? "" : Broker.said(cause);
        Matcher sizes = TOO_LARGE.matcher(said);
        if (code == AMQP.PRECONDITION_FAILED && sizes.find()) {
            long most = Long.parseLong(sizes.group(2));
            limit.learn(most);
            return new Blame(message -> message.message().value().length > most, said, true, open);
        }
        if (code == AMQP.ACCESS_REFUSED) {
            return new Blame(message -> said.contains("'" + message.message().topic() + "'"), said, false, open);
        }
        return new Blame(message -> false, said, false, open);
    }

    /** The verdict on one of them; none when nobody is known to be guilty. */
    Optional<Failure> of(PendingMessage message) {
        if (!found) {
            return Optional.empty();
        }
        if (!culprit.test(message)) {
            return Optional.of(Failure.abandoned(
                    "RabbitMQ closed the channel of " + message.event() + " because of another message: " + said));
        }
        String reason = "RabbitMQ refuses " + message.event() + ": " + said;
        return Optional.of(forGood ? Failure.permanent(reason) : Failure.destination(reason));
    }
}
