@NullMarked
package io.waybill.server.cli.run;

import org.jspecify.annotations.NullMarked;
