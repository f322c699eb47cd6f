package io.waybill.examples.quality;

import io.waybill.examples.quality.worker.WorkerMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the service; none has to be set.
 *
 * @param worker What this process runs: API and worker (on), the API only (off), or the worker until no event is pending (once).
 * @param data Folder for the files of the service: the secret that signs tokens, unless jwt-secret is set.
 * @param jwtSecret Secret that signs tokens, 32 bytes or more; by default generated once and kept in the data folder.
 * @param maxBody Largest request body.
 * @param hosts Host names that clients use, in addition to the loopback names of this machine.
 * @param login Limits for failed logins.
 * @param chaos Faults to inject, for trying out the alerts.
 */
@ConfigurationProperties(prefix = "quality", ignoreUnknownFields = false)
public record QualityProperties(
        @DefaultValue("on") WorkerMode worker,
        @DefaultValue("./data") Path data,
        @Nullable String jwtSecret,
        @DefaultValue("64KB") DataSize maxBody,
        @DefaultValue Set<String> hosts,
        @DefaultValue Login login,
        @DefaultValue Chaos chaos) {

    /**
     * @param window Time in which failed logins are counted.
     * @param failuresPerUser Failed logins of one user name in a window before its further logins are refused.
     * @param failuresPerAddress The same for one client address.
     */
    public record Login(
            @DefaultValue("1m") Duration window,
            @DefaultValue("5") int failuresPerUser,
            @DefaultValue("20") int failuresPerAddress) {}

    /**
     * @param failingHandlers Event types whose handler fails after it has written.
     * @param failEveryRequest N lets every Nth request to the API fail with 500; 0 for none.
     */
    public record Chaos(
            @DefaultValue Set<String> failingHandlers,
            @DefaultValue("0") int failEveryRequest) {}
}
