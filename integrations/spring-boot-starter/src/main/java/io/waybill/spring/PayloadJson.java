package io.waybill.spring;

import java.lang.reflect.Type;

/** Writes payloads as JSON and reads them; a bean of your own replaces the one that uses Jackson 3. */
public interface PayloadJson {
    String write(Object data);

    /** Throws what it likes when the text does not fit the type: the event is then a dead letter. */
    Object read(String json, Type type);
}
