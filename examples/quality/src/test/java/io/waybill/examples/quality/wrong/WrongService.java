package io.waybill.examples.quality.wrong;

import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Everything that a service must not do. */
@Service
public class WrongService {
    private final TransactionTemplate transactions;

    WrongService(TransactionTemplate transactions) {
        this.transactions = transactions;
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void ownTransaction() {
        transactions.executeWithoutResult(status -> {});
    }

    void commits(Connection connection) throws SQLException {
        connection.commit();
    }

    String whoAsks() {
        return String.valueOf(SecurityContextHolder.getContext().getAuthentication());
    }

    String calls() {
        return URI.create("https://example.com/tell").toString();
    }
}
