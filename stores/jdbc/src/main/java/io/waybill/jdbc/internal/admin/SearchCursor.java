package io.waybill.jdbc.internal.admin;

import io.waybill.WaybillException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The position in a list of sections, as text that callers pass back. */
record SearchCursor(int section, Section.Position position) {
    String text() {
        String plain = section + " " + position.number() + " " + position.text();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    /** @param sections the number of sections */
    static @Nullable SearchCursor of(@Nullable String text, int sections) {
        if (text == null) {
            return null;
        }
        try {
            String[] parts = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split(" ", 3);
            SearchCursor cursor = new SearchCursor(
                    Integer.parseInt(parts[0]), new Section.Position(Long.parseLong(parts[1]), parts[2]));
            if (cursor.section >= 0 && cursor.section < sections) {
                return cursor;
            }
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw invalid(e);
        }
        throw invalid(null);
    }

    static WaybillException invalid(@Nullable Throwable cause) {
        return new WaybillException("The cursor is not valid. Begin with the first page.", cause);
    }
}
