@NullMarked
package io.waybill.server.doctor;

import org.jspecify.annotations.NullMarked;
