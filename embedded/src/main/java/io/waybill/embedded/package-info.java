@NullMarked
package io.waybill.embedded;

import org.jspecify.annotations.NullMarked;
