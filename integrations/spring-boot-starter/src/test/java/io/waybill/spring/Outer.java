package io.waybill.spring;

import org.springframework.transaction.annotation.Transactional;

/** Calls {@link Orders} from within a transaction. */
class Outer {
    private final Orders orders;

    Outer(Orders orders) {
        this.orders = orders;
    }

    @Transactional
    public void fallAfterInner(String outer, String inner) {
        orders.place(outer);
        orders.placeOnItsOwn(inner);
        throw new IllegalStateException("no");
    }

    @Transactional
    public void swallow(String id) {
        try {
            orders.placeAndFail(id);
        } catch (IllegalStateException swallowed) {
            // as users do
        }
    }

    @Transactional
    public void keepWhatNestedLoses(String outer, String nested) {
        orders.place(outer);
        try {
            orders.placeNestedAndFail(nested);
        } catch (IllegalStateException expected) {
            // back at the savepoint
        }
    }
}
