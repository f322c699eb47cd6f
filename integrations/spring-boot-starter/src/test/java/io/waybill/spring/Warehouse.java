package io.waybill.spring;

import io.waybill.Event;
import io.waybill.saga.Command;
import io.waybill.saga.Saga;
import io.waybill.saga.participant.Answer;
import io.waybill.saga.participant.SagaParticipant;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

/** An application with a saga and with the participant that executes its commands. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({Warehouse.Requests.class, Warehouse.Shelves.class})
public class Warehouse {
    public record Request(String item, String place) {}

    @Bean
    Saga<Request> storeItem() {
        return Saga.named("store-item", Request.class)
                .step("check")
                .local(request -> request)
                .readOnly()
                .then("shelve")
                .command(request -> Command.to("warehouse.shelve", request.item(), request))
                .onReply("warehouse.shelved", (request, reply) -> new Request(request.item(), reply.text("place")))
                .onRefusal("warehouse.full")
                .timeout(Duration.ofMinutes(10))
                .pivot()
                .build();
    }

    /** Starts sagas. */
    public static class Requests {
        private final TransactionalSagas sagas;
        private final Saga<Request> storeItem;

        Requests(TransactionalSagas sagas, Saga<Request> storeItem) {
            this.sagas = sagas;
            this.storeItem = storeItem;
        }

        @Transactional
        public void store(String item) {
            sagas.start(storeItem, item, new Request(item, ""));
        }

        @Transactional
        public void storeAndFail(String item) {
            store(item);
            throw new IllegalStateException("no");
        }
    }

    static class Shelves {
        private final SagaParticipant<Connection> participant;

        Shelves(SagaParticipant<Connection> participant) {
            this.participant = participant;
        }

        @InboxHandler("warehouse.shelve")
        void shelve(Request request, Event command, Connection connection) throws Exception {
            participant
                    .command((transaction, event) -> request.item().equals("elephant")
                            ? Answer.refused("warehouse.full", command.key(), Map.of("reason", "too large"))
                            : Answer.done("warehouse.shelved", command.key(), Map.of("place", "A7")))
                    .handle(connection, command);
        }
    }
}
