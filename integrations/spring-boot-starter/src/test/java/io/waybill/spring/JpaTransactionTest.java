package io.waybill.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waybill.Event;
import io.waybill.admin.EventState;
import io.waybill.jdbc.JdbcEngine;
import io.waybill.spring.jpa.OutboxEvent;
import io.waybill.spring.jpa.OutboxEventRepository;
import jakarta.persistence.EntityManager;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.domain.PageRequest;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** The transaction contract with JPA, and tests that only JPA has. */
class JpaTransactionTest extends TransactionContract {
    @Override
    List<String> properties() {
        return List.of("spring.jpa.hibernate.ddl-auto=none", "waybill.inbox.retry.max-attempts=1");
    }

    @Override
    Class<?> configuration() {
        return WithHandler.class;
    }

    @Test
    void aChangeIsFlushedBeforeItsEventIsAppended() {
        TransactionalOutbox outbox = application.getBean(TransactionalOutbox.class);
        EntityManager entities = application.getBean(EntityManager.class);
        JdbcTemplate inside = application.getBean(JdbcTemplate.class);
        application.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
            entities.persist(new Invoice("1"));
            assertThat(inside.queryForList("SELECT id FROM orders"))
                    .as("JPA writes late")
                    .isEmpty();
            outbox.append(Event.of("invoice.sent", "Invoice", "1", "{}"));
            assertThat(inside.queryForList("SELECT id FROM orders")).hasSize(1);
            status.setRollbackOnly();
        });

        assertThat(changes()).isEmpty();
        assertThat(events()).isEmpty();
    }

    @Test
    void eventsOfAnAggregateRootGoToTheOutbox() {
        Invoices invoices = application.getBean(Invoices.class);
        invoices.save(new Invoice("1").sent());
        assertThatThrownBy(() -> application.getBean(TransactionTemplate.class).executeWithoutResult(status -> {
                    invoices.save(new Invoice("2").sent());
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(changes()).containsExactly("1");
        assertThat(events()).containsExactly("1");
    }

    @Test
    void theRepositoryShowsTheStateOfAnEvent() {
        orders.place("1");
        orders.place("2");
        OutboxEventRepository repository = application.getBean(OutboxEventRepository.class);

        List<OutboxEvent> history = repository.findByAggregateIdOrderBySeq("1");
        assertThat(history).singleElement().satisfies(event -> {
            assertThat(event.getEventType()).isEqualTo("order.placed");
            assertThat(event.getPayload()).isEqualTo("{}");
            assertThat(event.getHeaders()).isEqualTo("{\"user-id\":\"ann\"}");
            assertThat(event.getState()).isEqualTo(EventState.PENDING);
            assertThat(event.isProcessed()).isFalse();
            assertThat(repository.findById(event.getId())).isPresent();
        });
        assertThat(repository.findById(UUID.randomUUID())).isEmpty();
        assertThat(repository.countByState(EventState.PENDING)).isEqualTo(2);
        assertThat(repository
                        .findByState(EventState.PENDING, PageRequest.of(0, 1))
                        .getTotalPages())
                .isEqualTo(2);
        assertThat(application.getBean(JdbcEngine.class).view().status().pending())
                .isEqualTo(2);
    }

    /** As a service with JPA writes it: the entity and its event, saved through two repositories. */
    @Test
    void aSavedEventIsAppendedAfterTheChangesBeforeIt() {
        Invoices invoices = application.getBean(Invoices.class);
        OutboxEventRepository repository = application.getBean(OutboxEventRepository.class);
        TransactionTemplate transaction = application.getBean(TransactionTemplate.class);
        OutboxEvent first = new OutboxEvent("invoice.sent", "Invoice", "1", "{\"n\": 1}");
        OutboxEvent second = new OutboxEvent(Event.builder("invoice.paid", "Invoice", "1")
                .header("user-id", "ann")
                .build());
        transaction.executeWithoutResult(status -> {
            invoices.save(new Invoice("1"));
            assertThat(repository.save(first)).isSameAs(first);
            repository.save(second);
            assertThat(jdbc.queryForList("SELECT id FROM orders"))
                    .as("uncommitted")
                    .isEmpty();
        });

        List<OutboxEvent> saved = repository.findByAggregateIdOrderBySeq("1");
        assertThat(saved).extracting(OutboxEvent::getId).containsExactly(first.getId(), second.getId());
        assertThat(saved.get(0).getSeq()).isPositive();
        assertThat(saved.get(0).getPayload()).isEqualTo("{\"n\": 1}");
        assertThat(saved.get(1).getHeaders()).contains("ann");
        assertThat(changes()).containsExactly("1");

        assertThatThrownBy(() -> repository.save(new OutboxEvent("t", "A", "1", "{}")))
                .hasMessageContaining("no transaction is active");
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> repository.save(saved.get(0))))
                .hasMessageContaining("events do not change");
        EntityManager entities = application.getBean(EntityManager.class);
        assertThatThrownBy(() -> transaction.executeWithoutResult(
                        status -> entities.persist(new OutboxEvent("t", "A", "1", "{}"))))
                .hasMessageContaining("OutboxEventRepository.save");
        transaction.executeWithoutResult(status -> {
            repository.save(new OutboxEvent("t", "A", "2", "{}"));
            status.setRollbackOnly();
        });
        assertThat(repository.findByAggregateIdOrderBySeq("2")).isEmpty();
    }

    @Test
    void anEventIsNotHandledWhenTheCommitFails() {
        jdbc.execute("INSERT INTO orders VALUES ('1')");
        application
                .getBean(TransactionTemplate.class)
                .executeWithoutResult(status -> application
                        .getBean(TransactionalOutbox.class)
                        .append(Event.of("invoice.due", "Invoice", "1", "{}")));

        assertThat(application.getBean(RelayLifecycle.class).runOnce())
                .as("the event, and the dead letter that came of it")
                .isEqualTo(2);
        assertThat(jdbc.queryForObject("SELECT outcome FROM processed_events", String.class))
                .isEqualTo("DEAD_LETTERED");
        assertThat(jdbc.queryForObject("SELECT error FROM inbox_dead_letters", String.class))
                .contains("duplicate key");
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Billing.class)
    static class WithHandler extends App {}

    static class Billing {
        private final EntityManager entities;

        Billing(EntityManager entities) {
            this.entities = entities;
        }

        /** Succeeds; JPA writes when the transaction commits. */
        @InboxHandler("invoice.due")
        void due(Event event) {
            entities.persist(new Invoice(event.key()));
        }
    }
}
