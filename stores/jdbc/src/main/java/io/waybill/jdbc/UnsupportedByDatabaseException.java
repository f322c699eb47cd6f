package io.waybill.jdbc;

import io.waybill.WaybillException;

/** The database does not support an operation. Nothing was changed, and another attempt will fail as well. */
public final class UnsupportedByDatabaseException extends WaybillException {
    private static final long serialVersionUID = 1L;

    UnsupportedByDatabaseException(String message) {
        super(message);
    }
}
