/** The outbox as a JPA entity. */
@NullMarked
package io.waybill.spring.jpa;

import org.jspecify.annotations.NullMarked;
