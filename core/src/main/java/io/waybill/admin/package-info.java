@NullMarked
package io.waybill.admin;

import org.jspecify.annotations.NullMarked;
