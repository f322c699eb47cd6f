/** The outbox as JPA sees it, for reading. */
@NullMarked
package io.waybill.spring.jpa;

import org.jspecify.annotations.NullMarked;
