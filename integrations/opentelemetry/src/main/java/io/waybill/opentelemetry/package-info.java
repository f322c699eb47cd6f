/** Traces of events with OpenTelemetry: from the span that appends an event to those that publish and process it. */
@NullMarked
package io.waybill.opentelemetry;

import org.jspecify.annotations.NullMarked;
