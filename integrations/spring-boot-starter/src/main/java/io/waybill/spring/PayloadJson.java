package io.waybill.spring;

import java.lang.reflect.Type;

/** Writes and reads payloads as JSON. A bean of your own replaces the default, which uses Jackson 3. */
public interface PayloadJson {
    String write(Object data);

    /** Returns an object of the type. May throw any exception when the text does not match it; the event then becomes a dead letter. */
    Object read(String json, Type type);
}
