package io.waybill.server.http.access;

import io.waybill.server.http.request.Role;
import io.waybill.server.problem.Exit;
import io.waybill.server.problem.Problem;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The users with their roles and hashed passwords: a text file with a line {@code name:role:hash} for each of them. */
public final class UsersFile {
    private static final Logger LOG = LoggerFactory.getLogger(UsersFile.class);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,99}");
    private static final Pattern HASH = Pattern.compile("\\$2[aby]\\$(0[4-9]|1[0-4])\\$[./A-Za-z0-9]{53}");
    private static final long LARGEST = 10_000_000;
    private static final String ADMIN = "admin";

    private final Path path;
    private @Nullable Content content;

    /** A user. */
    public record User(String name, Role role, String hash) {
        @Override
        public String toString() {
            return name + " (" + role.label() + ")";
        }
    }

    private record Content(Object version, Map<String, User> users) {}

    public UsersFile(Path path) {
        this.path = path;
    }

    /** Returns the user with this name. Changes of the file take effect at once. */
    synchronized Optional<User> find(String name) {
        try {
            Object version = version();
            if (content == null || !content.version().equals(version)) {
                content = new Content(version, read());
            }
        } catch (IOException | Problem e) {
            if (content == null) {
                throw e instanceof Problem problem ? problem : cannot("read", e);
            }
            LOG.warn("Cannot read the changed users; continuing with the users before: {}", e.getMessage());
        }
        return Optional.ofNullable(content.users().get(name));
    }

    private Object version() throws IOException {
        try {
            var attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return List.of(
                    attributes.lastModifiedTime(),
                    attributes.size(),
                    Optional.ofNullable(attributes.fileKey())
                            .map(Object::toString)
                            .orElse(""));
        } catch (NoSuchFileException e) {
            return "missing";
        }
    }

    /** Returns all users by name. */
    public Collection<User> all() {
        try {
            return read().values();
        } catch (IOException e) {
            throw cannot("read", e);
        }
    }

    private Map<String, User> read() throws IOException {
        Map<String, User> users = new TreeMap<>();
        List<String> lines;
        try {
            if (Files.size(path) > LARGEST) {
                throw Problem.usage("The users file " + path + " is larger than " + LARGEST + " bytes.");
            }
            lines = Files.readAllLines(path);
        } catch (NoSuchFileException e) {
            return users;
        }
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                User user = parse(line, number);
                if (users.putIfAbsent(user.name(), user) != null) {
                    throw Problem.usage("Line " + number + " of " + path + " defines " + user.name()
                            + " a second time. Remove one of the lines.");
                }
            }
        }
        return users;
    }

    private User parse(String line, int number) {
        String[] parts = line.split(":", -1);
        Optional<Role> role = parts.length == 3 ? Role.of(parts[1]) : Optional.empty();
        if (role.isEmpty()
                || !NAME.matcher(parts[0]).matches()
                || !HASH.matcher(parts[2]).matches()) {
            throw Problem.usage("Line " + number + " of " + path
                    + " is not name:role:hash with a bcrypt hash. Use `waybill users` to change this file.");
        }
        return new User(parts[0], role.get(), parts[2]);
    }

    /** Adds a user. Throws a {@link Problem} if there is one with this name. */
    public void add(String name, Role role, String password) {
        if (!NAME.matcher(name).matches()) {
            throw Problem.usage("'" + name
                    + "' is not a valid name: 1 to 100 letters, digits and . _ @ -, beginning with a letter or digit.");
        }
        Passwords.requireStrong(password);
        String hash = Passwords.hash(password);
        change(users -> {
            if (users.putIfAbsent(name, new User(name, role, hash)) != null) {
                throw Problem.usage("There is a user " + name + " already. Use `waybill users password` to change the"
                        + " password, or remove the user first.");
            }
            return users;
        });
    }

    public void remove(String name) {
        change(users -> {
            require(users, name);
            users.remove(name);
            return users;
        });
    }

    /** Changes the password and ends the sessions of the user. */
    public void password(String name, String password) {
        Passwords.requireStrong(password);
        String hash = Passwords.hash(password);
        change(users -> {
            users.put(name, new User(name, require(users, name).role(), hash));
            return users;
        });
    }

    private User require(Map<String, User> users, String name) {
        User user = users.get(name);
        if (user == null) {
            throw new Problem(
                    Exit.NOT_FOUND, "There is no user " + name + " in " + path + ". `waybill users list` shows all.");
        }
        return user;
    }

    /**
     * Creates the file with one user, {@code admin}, if there is no file.
     *
     * @return the password of that user; empty if the file exists
     */
    public Optional<String> createIfMissing() {
        if (Files.exists(path)) {
            return Optional.empty();
        }
        String password = Passwords.generated();
        String hash = Passwords.hash(password);
        boolean[] created = {false};
        change(users -> {
            created[0] = users.isEmpty() && !Files.exists(path);
            if (created[0]) {
                users.put(ADMIN, new User(ADMIN, Role.ADMIN, hash));
            }
            return users;
        });
        return created[0] ? Optional.of(password) : Optional.empty();
    }

    /** Replaces the file atomically, under a lock on a separate file, so that two concurrent commands lose no change. */
    private void change(UnaryOperator<Map<String, User>> edit) {
        Path lockFile = sibling(".lock");
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            List<String> lines = new ArrayList<>(List.of("# Users of Waybill's HTTP server: name:role:hash"));
            for (User user : edit.apply(read()).values()) {
                lines.add(user.name() + ":" + user.role().label() + ":" + user.hash());
            }
            Path next = sibling(".new");
            Files.deleteIfExists(next);
            Files.createFile(next, ownerOnly());
            Files.write(next, lines);
            Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            LOG.debug("Changed {} under {}", path, lock);
        } catch (IOException e) {
            throw cannot("write", e);
        }
    }

    private Path sibling(String suffix) {
        return path.resolveSibling(path.getFileName() + suffix);
    }

    private static FileAttribute<?>[] ownerOnly() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }

    private Problem cannot(String what, Exception e) {
        return new Problem(
                Exit.FAILED, "Cannot " + what + " the users file " + path + ": " + e + ". Check http.users.", e);
    }
}
