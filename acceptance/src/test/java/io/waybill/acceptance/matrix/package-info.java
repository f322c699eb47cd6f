/** Every store with every transport under the same faults, and the page that shows the results. */
@NullMarked
package io.waybill.acceptance.matrix;

import org.jspecify.annotations.NullMarked;
