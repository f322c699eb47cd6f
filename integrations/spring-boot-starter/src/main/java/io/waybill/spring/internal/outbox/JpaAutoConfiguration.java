package io.waybill.spring.internal.outbox;

import io.waybill.jdbc.JdbcOutbox;
import io.waybill.spring.TransactionalOutbox;
import io.waybill.spring.jpa.AppendingRepository;
import io.waybill.spring.jpa.OutboxEventRepository;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.annotations.Subselect;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.support.JpaRepositoryFactory;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.SharedEntityManagerCreator;

/** For applications with JPA: flushes pending changes before an append, and provides a repository of events. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass({EntityManagerFactory.class, EntityManagerFactoryUtils.class})
@ConditionalOnBean({TransactionalOutbox.class, JdbcOutbox.class})
@ConditionalOnSingleCandidate(EntityManagerFactory.class)
public class JpaAutoConfiguration {

    @Bean
    PendingChanges waybillPendingJpaChanges(EntityManagerFactory factory) {
        return () -> {
            EntityManager current = EntityManagerFactoryUtils.getTransactionalEntityManager(factory);
            if (current != null && current.isJoinedToTransaction()) {
                current.flush();
            }
        };
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({JpaRepositoryFactory.class, Subselect.class})
    static class Reading {
        /** Created here instead of by a scan, so that an application's own @EntityScan or @EnableJpaRepositories cannot exclude it. */
        @Bean
        @ConditionalOnMissingBean
        OutboxEventRepository waybillOutboxEventRepository(EntityManagerFactory factory, TransactionalOutbox outbox) {
            EntityManager shared = SharedEntityManagerCreator.createSharedEntityManager(factory);
            return new JpaRepositoryFactory(shared)
                    .getRepository(OutboxEventRepository.class, new AppendingRepository(outbox));
        }
    }
}
