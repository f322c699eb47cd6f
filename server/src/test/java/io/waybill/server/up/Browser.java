package io.waybill.server.up;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.WaitForSelectorState;
import io.waybill.testkit.servers.DebianPackage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Debian's Chromium with one tab. Records every error of the page and every violation of its content policy. */
final class Browser implements AutoCloseable {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final double PATIENCE_MILLIS = 120_000;

    static final Locator.WaitForOptions GONE = new Locator.WaitForOptions().setState(WaitForSelectorState.HIDDEN);

    private final Playwright playwright;
    private final com.microsoft.playwright.Browser chromium;
    private final String address;
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final List<String> foreign = new CopyOnWriteArrayList<>();
    private final String axe;
    private @Nullable String session;
    private BrowserContext context;
    private Page page;

    private Browser(Playwright playwright, com.microsoft.playwright.Browser chromium, String address, String axe) {
        this.playwright = playwright;
        this.chromium = chromium;
        this.address = address;
        this.axe = axe;
        this.context = chromium.newContext();
        this.page = open(context);
    }

    /** Aborts the test, and reports it as not run, where Chromium is not installed and cannot be installed. */
    static Browser start(String address) throws IOException {
        Path program = DebianPackage.require("chromium", CHROMIUM);
        // The browser is Debian's, so the driver must not download one.
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        var options = new BrowserType.LaunchOptions().setExecutablePath(program).setArgs(List.of("--no-sandbox"));
        return new Browser(playwright, playwright.chromium().launch(options), address, axe());
    }

    private static String axe() throws IOException {
        try (InputStream file = Browser.class.getResourceAsStream("/io/waybill/server/http/console/axe.min.js")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private Page open(BrowserContext in) {
        Page opened = in.newPage();
        opened.setDefaultTimeout(PATIENCE_MILLIS);
        opened.onConsoleMessage(message -> {
            // The browser also logs answers with an error status; the page shows those to the user.
            boolean status = message.text().startsWith("Failed to load resource");
            if ((message.type().equals("error") && !status) || message.text().contains("Content Security Policy")) {
                complaints.add(message.text());
            }
        });
        opened.onPageError(complaints::add);
        opened.onRequest(request -> {
            if (!request.url().startsWith(address) && !request.url().matches("(data|blob|about):.*")) {
                foreign.add(request.url());
            }
        });
        return opened;
    }

    /** Replaces the tab by one with this theme and width. */
    void look(ColorScheme theme, int width) {
        context.close();
        context = chromium.newContext(new com.microsoft.playwright.Browser.NewContextOptions()
                .setStorageState(session)
                .setColorScheme(theme)
                .setViewportSize(width, 900));
        page = open(context);
    }

    /** Keeps the cookie of the session for tabs that are opened later. */
    void rememberSession() {
        session = context.storageState();
    }

    String address() {
        return address;
    }

    Page page() {
        return page;
    }

    /** Opens a page of the console and waits until it has loaded its data. */
    void go(String hash) {
        page.navigate("about:blank");
        page.navigate(address + "/#/" + hash);
        page.locator("h1").first().waitFor();
        page.locator("main .loading").first().waitFor(GONE);
    }

    Locator button(String name) {
        return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name))
                .first();
    }

    Locator row(String text) {
        return page.locator("main tbody tr")
                .filter(new Locator.FilterOptions().setHasText(text))
                .first();
    }

    /** Enters a reason and confirms the open dialog; waits until it has closed. */
    void confirm(String reason, String button) {
        Locator dialog = page.locator("dialog[open]");
        dialog.locator("[name=reason]").fill(reason);
        dialog.getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(button).setExact(true))
                .click();
    }

    String text() {
        return page.locator("main").innerText();
    }

    /** The serious findings of axe on the page as it is. */
    String findings() {
        // Like a developer's console, evaluation is not subject to the page's content policy.
        page.evaluate(axe + "; undefined");
        return String.valueOf(
                page.evaluate(
                        "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations"
                                + ".filter(v => v.impact === 'serious' || v.impact === 'critical')"
                                + ".map(v => v.id + ': ' + v.nodes.map(n => n.html + ' ' + n.failureSummary).join(' | ')).join('\\n'))"));
    }

    /** Fails if the page logged an error, broke its content policy, or requested something from another server. */
    void requireQuiet() {
        assertThat(complaints).isEmpty();
        assertThat(foreign).isEmpty();
    }

    void forget() {
        complaints.clear();
    }

    @Override
    public void close() {
        context.close();
        chromium.close();
        playwright.close();
    }
}
