package io.waybill.spring.internal.inbox;

import io.waybill.inbox.Handler;
import java.util.Set;

/**
 * A handler of the starter itself, such as that of the saga engine. It runs before the application's own handlers of the same type.
 *
 * @param types the types of events that it handles
 */
public record EngineHandlers(Set<String> types, Handler<?> handler) {}
