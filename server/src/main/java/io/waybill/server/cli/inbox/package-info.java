@NullMarked
package io.waybill.server.cli.inbox;

import org.jspecify.annotations.NullMarked;
