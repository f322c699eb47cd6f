/** Waybill in a Spring Boot application: events are appended in its transactions, and relay and inbox are part of its lifecycle. */
@NullMarked
package io.waybill.spring;

import org.jspecify.annotations.NullMarked;
