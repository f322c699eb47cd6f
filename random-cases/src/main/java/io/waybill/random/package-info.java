/** Property tests: random cases, each of which can be repeated by its seed. */
@NullMarked
package io.waybill.random;

import org.jspecify.annotations.NullMarked;
