package io.waybill.faults.simulation;

import io.waybill.Event;
import io.waybill.admin.AuditEntry;
import io.waybill.admin.DeadLetters;
import io.waybill.admin.EventFilter;
import io.waybill.admin.EventRecord;
import io.waybill.admin.OutboxStatus;
import io.waybill.admin.OutboxView;
import io.waybill.store.OutboxStore;
import io.waybill.testkit.store.StoreBackend;
import io.waybill.testkit.store.StoreContract;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The model passes the same contract as the real stores. */
class ModelStoreTest extends StoreContract {
    @Override
    protected StoreBackend open() {
        return new ModelBackend();
    }

    private static final class ModelBackend implements StoreBackend, OutboxView {
        private long now;
        private long transactions;
        private final ModelStore store = new ModelStore(8, () -> now, Bug.NONE);

        @Override
        public OutboxStore store() {
            return store;
        }

        @Override
        public OutboxView view() {
            return this;
        }

        @Override
        public DeadLetters deadLetters() {
            throw new UnsupportedOperationException("The model has no operator.");
        }

        @Override
        public Writer begin() {
            long number = ++transactions;
            List<Row> rows = new ArrayList<>();
            return new Writer() {
                @Override
                public void append(Event event) {
                    rows.add(store.append(event, number, now));
                }

                @Override
                public void commit() {
                    store.commit(List.copyOf(rows), true);
                    rows.clear();
                }

                @Override
                public void close() {
                    store.rollBack(rows);
                }
            };
        }

        @Override
        public void age(Duration time) {
            now += time.toNanos();
        }

        @Override
        public void delete(UUID id) {
            store.rows().removeIf(row -> row.id().equals(id));
        }

        @Override
        public void close() {}

        @Override
        public Optional<EventRecord> event(UUID id) {
            return store.rows().stream()
                    .filter(row -> row.id().equals(id))
                    .findFirst()
                    .map(row -> new EventRecord(
                            row.event,
                            row.state,
                            row.lane,
                            row.position,
                            row.retryCount,
                            Instant.EPOCH,
                            null,
                            row.error,
                            null,
                            null,
                            null));
        }

        @Override
        public OutboxStatus status() {
            throw new UnsupportedOperationException("The model has no operator.");
        }

        @Override
        public List<EventRecord> events(EventFilter filter, int limit) {
            throw new UnsupportedOperationException("The model has no operator.");
        }

        @Override
        public List<AuditEntry> history(UUID id) {
            throw new UnsupportedOperationException("The model has no operator.");
        }
    }
}
