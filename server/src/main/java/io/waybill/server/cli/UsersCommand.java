package io.waybill.server.cli;

import io.waybill.server.cli.command.Command;
import io.waybill.server.cli.command.CommandGroup;
import io.waybill.server.cli.command.Json;
import io.waybill.server.cli.command.JsonOption;
import io.waybill.server.cli.command.Table;
import io.waybill.server.config.Settings;
import io.waybill.server.http.access.UsersFile;
import io.waybill.server.http.access.UsersFile.User;
import io.waybill.server.http.request.Role;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@CommandLine.Command(
        name = "users",
        description =
                "Add, list and remove the users of the HTTP server, for http.sign-in: password. A running server notices changes"
                        + " at once; the sessions of a removed user end.",
        synopsisSubcommandLabel = "add|list|remove|password",
        subcommands = {
            UsersCommand.Add.class,
            UsersCommand.Listing.class,
            UsersCommand.Remove.class,
            UsersCommand.Password.class
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./waybill users add alice --role operator        asks for the password",
            "  ./waybill users password alice < password.txt    reads the first line"
        })
final class UsersCommand extends CommandGroup {

    /** A command that works on the users file. */
    abstract static class OnFile extends Command {
        @Option(
                names = "--file",
                paramLabel = "FILE",
                description = "The users file (default: the setting http.users).")
        private @Nullable Path file;

        @Override
        protected Set<String> settings() {
            return Set.of();
        }

        UsersFile users() {
            Path path = file == null ? configuration().get(Settings.HTTP_USERS) : file;
            return new UsersFile(configuration().workingFolder().resolve(path));
        }

        /** Reads a password twice from the terminal, or the first line of the input. Flags would show it to other users. */
        String newPassword() {
            @Nullable Console console = context().terminal() ? System.console() : null;
            if (console == null) {
                return firstLine();
            }
            char[] password = console.readPassword("New password: ");
            char[] again = console.readPassword("The same again: ");
            if (password == null || again == null) {
                throw Problem.usage("There is no password.");
            }
            if (!String.valueOf(password).equals(String.valueOf(again))) {
                throw Problem.usage("The passwords differ. Nothing was changed.");
            }
            return String.valueOf(password);
        }

        private String firstLine() {
            try {
                String line =
                        new BufferedReader(new InputStreamReader(context().in(), StandardCharsets.UTF_8)).readLine();
                if (line == null) {
                    throw Problem.usage("There is no password. Write it to the standard input, on one line.");
                }
                return line;
            } catch (IOException e) {
                throw new Problem(Exit.FAILED, "Cannot read the password from the standard input: " + e + ".", e);
            }
        }
    }

    @CommandLine.Command(
            name = "add",
            description = "Add a user. Reads the password from the terminal, or from the standard input.")
    static final class Add extends OnFile {
        @Parameters(paramLabel = "NAME", description = "Name of the user; audit rows contain it.")
        @SuppressWarnings("NullAway.Init")
        private String name;

        @Option(
                names = "--role",
                paramLabel = "ROLE",
                required = true,
                description = "viewer sees everything but payloads; operator also acts; admin also edits events.")
        @SuppressWarnings("NullAway.Init")
        private String role;

        @Override
        protected Exit run() {
            Role wanted = Role.of(role)
                    .orElseThrow(
                            () -> Problem.usage("There is no role '" + role + "'. Roles: viewer, operator, admin."));
            users().add(name, wanted, newPassword());
            output().line("Added " + name + " as " + wanted.label() + ".");
            return Exit.OK;
        }
    }

    @CommandLine.Command(name = "list", description = "List the users and their roles.")
    static final class Listing extends OnFile {
        @Mixin
        private JsonOption json = new JsonOption();

        @Override
        protected Exit run() {
            Collection<User> users = users().all();
            if (json.wanted()) {
                for (User user : users) {
                    output().json(Json.object()
                            .put("name", user.name())
                            .put("role", user.role().label()));
                }
                return Exit.OK;
            }
            if (users.isEmpty()) {
                output().note("There are no users. Add one with `waybill users add NAME --role ROLE`.");
                return Exit.OK;
            }
            Table table = new Table("NAME", "ROLE");
            users.forEach(user -> table.row(user.name(), user.role().label()));
            output().table(table);
            return Exit.OK;
        }
    }

    @CommandLine.Command(name = "remove", description = "Remove a user and end its sessions.")
    static final class Remove extends OnFile {
        @Parameters(paramLabel = "NAME", description = "Name of the user.")
        @SuppressWarnings("NullAway.Init")
        private String name;

        @Override
        protected Exit run() {
            users().remove(name);
            output().line("Removed " + name + ".");
            return Exit.OK;
        }
    }

    @CommandLine.Command(
            name = "password",
            description =
                    "Change the password of a user and end its sessions. Reads it from the terminal, or from the standard input.")
    static final class Password extends OnFile {
        @Parameters(paramLabel = "NAME", description = "Name of the user.")
        @SuppressWarnings("NullAway.Init")
        private String name;

        @Override
        protected Exit run() {
            users().password(name, newPassword());
            output().line("Changed the password of " + name + ".");
            return Exit.OK;
        }
    }
}
