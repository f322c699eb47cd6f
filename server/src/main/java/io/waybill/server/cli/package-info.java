@NullMarked
package io.waybill.server.cli;

import org.jspecify.annotations.NullMarked;
