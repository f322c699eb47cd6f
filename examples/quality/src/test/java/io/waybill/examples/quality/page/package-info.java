@NullMarked
package io.waybill.examples.quality.page;

import org.jspecify.annotations.NullMarked;
