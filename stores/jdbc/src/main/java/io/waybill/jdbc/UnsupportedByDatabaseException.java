package io.waybill.jdbc;

import io.waybill.WaybillException;

/** Something was asked of a database that only others can do; nothing was changed, and trying again does not help. */
public final class UnsupportedByDatabaseException extends WaybillException {
    private static final long serialVersionUID = 1L;

    UnsupportedByDatabaseException(String message) {
        super(message);
    }
}
