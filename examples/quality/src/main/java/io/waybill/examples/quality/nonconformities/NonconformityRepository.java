package io.waybill.examples.quality.nonconformities;

import jakarta.persistence.LockModeType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** Non-conformities; never deleted. */
public interface NonconformityRepository extends Repository<Nonconformity, Long> {
    String MATCHING = " from Nonconformity n where (:status is null or n.status = :status)"
            + " and (:severity is null or n.severity = :severity)";

    Nonconformity saveAndFlush(Nonconformity nonconformity);

    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @Query("select n from Nonconformity n where n.id = :id")
    Optional<Nonconformity> lock(long id);

    @Query("select n" + MATCHING + " order by n.id desc limit :limit offset :offset")
    List<Nonconformity> slice(@Nullable Status status, @Nullable Severity severity, int limit, int offset);

    @Query("select count(n)" + MATCHING)
    long countMatching(@Nullable Status status, @Nullable Severity severity);
}
