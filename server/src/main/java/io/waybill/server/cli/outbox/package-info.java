@NullMarked
package io.waybill.server.cli.outbox;

import org.jspecify.annotations.NullMarked;
