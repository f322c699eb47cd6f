/** The parts for Spring Boot 3.5 that the starter does not have. */
@NullMarked
package io.waybill.spring3;

import org.jspecify.annotations.NullMarked;
