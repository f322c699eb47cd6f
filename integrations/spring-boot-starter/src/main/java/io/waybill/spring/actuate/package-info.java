/** The outbox in Actuator: health, endpoint, metrics. */
@NullMarked
package io.waybill.spring.actuate;

import org.jspecify.annotations.NullMarked;
