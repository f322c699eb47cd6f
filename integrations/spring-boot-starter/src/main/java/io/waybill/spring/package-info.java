/** Waybill in a Spring Boot application: events appended in its transactions, relay and inbox as part of its lifecycle. */
@NullMarked
package io.waybill.spring;

import org.jspecify.annotations.NullMarked;
