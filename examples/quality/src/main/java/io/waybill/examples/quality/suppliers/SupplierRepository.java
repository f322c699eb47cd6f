package io.waybill.examples.quality.suppliers;

import jakarta.persistence.LockModeType;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** Suppliers; never deleted. */
public interface SupplierRepository extends Repository<Supplier, Long> {
    Supplier saveAndFlush(Supplier supplier);

    Optional<Supplier> findById(long id);

    boolean existsById(long id);

    long count();

    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @Query("select s from Supplier s where s.id = :id")
    Optional<Supplier> lock(long id);

    @Query("select s from Supplier s order by s.id limit :limit offset :offset")
    List<Supplier> slice(int limit, int offset);

    @Query("""
            select new io.waybill.examples.quality.suppliers.Tally(
                count(n),
                count(n) filter (where n.status = OPEN),
                count(n) filter (where n.status = OPEN and n.severity = HIGH))
            from Nonconformity n where n.supplierId = :id""")
    Tally tally(long id);

    @Query("""
            select count(s) from Supplier s
            where s.certificationExpiry < :today
               or exists (select 1 from Nonconformity n
                          where n.supplierId = s.id and n.status = OPEN and n.severity = HIGH)""")
    long countAtRisk(LocalDate today);
}
