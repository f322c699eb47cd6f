/** Tests of Waybill's guarantees with real servers and faults. The codes R1 to R18 are those of {@code docs/guarantees.md}. */
@NullMarked
package io.waybill.acceptance;

import org.jspecify.annotations.NullMarked;
