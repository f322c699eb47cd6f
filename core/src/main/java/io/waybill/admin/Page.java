package io.waybill.admin;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param next the cursor of the next page; null if this is the last page. A page can have a next page although it contains fewer items
 *     than requested, or none: each page examines a limited number of rows
 */
public record Page<T>(List<T> items, @Nullable String next) {
    public Page {
        items = List.copyOf(items);
    }
}
