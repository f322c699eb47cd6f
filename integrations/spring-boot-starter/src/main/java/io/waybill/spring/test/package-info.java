/** Support for an application's own tests. */
@NullMarked
package io.waybill.spring.test;

import org.jspecify.annotations.NullMarked;
