package io.waybill.spring.jpa;

import io.waybill.admin.EventState;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.Pageable;
import org.springframework.data.repository.NoRepositoryBean;
import org.springframework.data.repository.Repository;

/**
 * Appends events and reads the outbox. A {@code Repository<OutboxEvent, UUID>} of your own can have other
 * queries. {@code @NoRepositoryBean} prevents a second bean: the starter creates this one.
 */
@NoRepositoryBean
public interface OutboxEventRepository extends Repository<OutboxEvent, UUID>, SavedOutboxEvents {
    Optional<OutboxEvent> findById(UUID id);

    /** Returns the events of one key, in their order. */
    List<OutboxEvent> findByAggregateIdOrderBySeq(String aggregateId);

    Page<OutboxEvent> findByState(EventState state, Pageable page);

    long countByState(EventState state);

    long count();
}
