@NullMarked
package io.waybill.jdbc;

import org.jspecify.annotations.NullMarked;
