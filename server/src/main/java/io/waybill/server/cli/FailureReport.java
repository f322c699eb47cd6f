package io.waybill.server.cli;

import io.waybill.WaybillException;
import io.waybill.embedded.LocalServerException;
import io.waybill.internal.Secrets;
import io.waybill.jdbc.UnsupportedByDatabaseException;
import io.waybill.saga.admin.UnknownSagaException;
import io.waybill.server.cli.command.CliContext;
import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.TerminalText;
import io.waybill.server.database.known.Databases;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Prints the cause of a failure in one line, and the stack trace with {@code --verbose}. */
final class FailureReport {
    private final CliContext context;

    FailureReport(CliContext context) {
        this.context = context;
    }

    int report(Exception failure, CommandLine line) {
        if (failure instanceof ParameterException usage) {
            throw usage;
        }
        boolean verbose = line.getCommand() instanceof Command command && command.verbose();
        Problem problem = understand(failure, line);
        context.out().flush();
        String message = Secrets.maskIn(String.valueOf(problem.getMessage()));
        if (JsonOption.wanted(line)) {
            context.err().println(Json.error(message, problem.exit()));
        } else {
            context.err().println("waybill: " + TerminalText.escape(message));
        }
        if (verbose) {
            failure.printStackTrace(context.err());
        }
        return problem.exit().code();
    }

    private static Problem understand(Exception failure, CommandLine line) {
        if (failure instanceof Problem problem) {
            return problem;
        }
        if (failure instanceof UnsupportedByDatabaseException) {
            return new Problem(Exit.USAGE, String.valueOf(failure.getMessage()), failure);
        }
        if (Databases.recognize(failure) && line.getCommand() instanceof Command command) {
            try {
                return command.database().explain(failure);
            } catch (Problem noDatabase) {
                return new Problem(Exit.DATABASE, String.valueOf(failure.getMessage()), failure);
            }
        }
        if (failure instanceof UnknownSagaException) {
            return new Problem(Exit.NOT_FOUND, String.valueOf(failure.getMessage()), failure);
        }
        if (failure instanceof KafkaException) {
            return new Problem(
                    Exit.BROKER,
                    "The broker failed: " + failure.getMessage() + ". Run `waybill doctor` to check it.",
                    failure);
        }
        if (failure instanceof WaybillException || failure instanceof LocalServerException) {
            return new Problem(Exit.FAILED, String.valueOf(failure.getMessage()), failure);
        }
        return new Problem(
                Exit.FAILED,
                "Unexpected error: " + failure + ". Run the command again with --verbose and report its output.",
                failure);
    }
}
