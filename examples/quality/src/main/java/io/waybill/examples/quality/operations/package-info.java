@NullMarked
package io.waybill.examples.quality.operations;

import org.jspecify.annotations.NullMarked;
