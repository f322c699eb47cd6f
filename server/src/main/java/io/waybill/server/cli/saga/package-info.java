@NullMarked
package io.waybill.server.cli.saga;

import org.jspecify.annotations.NullMarked;
