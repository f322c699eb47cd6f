package io.waybill.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.springframework.data.domain.AbstractAggregateRoot;

/** An aggregate root of Spring Data that registers its events. */
@Entity
@Table(name = "orders")
class Invoice extends AbstractAggregateRoot<Invoice> {
    @PublishViaOutbox(type = "invoice.sent", aggregate = "Invoice", key = "id")
    record Sent(String id) {}

    @Id
    private String id;

    protected Invoice() {
        this("");
    }

    Invoice(String id) {
        this.id = id;
    }

    Invoice sent() {
        return andEvent(new Sent(id));
    }
}
