@NullMarked
package io.waybill.server.problem;

import org.jspecify.annotations.NullMarked;
