@NullMarked
package io.waybill.server.cli.append;

import org.jspecify.annotations.NullMarked;
