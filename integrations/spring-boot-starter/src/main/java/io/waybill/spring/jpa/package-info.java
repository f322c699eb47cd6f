/** The outbox as a read-only JPA entity. */
@NullMarked
package io.waybill.spring.jpa;

import org.jspecify.annotations.NullMarked;
