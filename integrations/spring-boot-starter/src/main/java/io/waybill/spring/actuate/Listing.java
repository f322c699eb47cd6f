package io.waybill.spring.actuate;

import java.util.AbstractList;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** A list in a class of Waybill, so that the application's settings of Jackson do not change its field names. */
final class Listing<T> extends AbstractList<T> implements OperationResponseBody {
    private final List<T> items;

    Listing(List<T> items) {
        this.items = List.copyOf(items);
    }

    @Override
    public T get(int index) {
        return items.get(index);
    }

    @Override
    public int size() {
        return items.size();
    }
}
