package io.waybill.examples.quality.page;

import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import io.waybill.testkit.servers.DebianPackage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A headless Chromium that records the errors of a page. */
final class Browser implements AutoCloseable {
    private static final Path PICTURES = Path.of("target", "pictures");

    private final Playwright playwright;
    private final com.microsoft.playwright.Browser chromium;
    private final List<String> complaints = new ArrayList<>();

    private Browser(Playwright playwright, com.microsoft.playwright.Browser chromium) {
        this.playwright = playwright;
        this.chromium = chromium;
    }

    static Browser open() {
        Path program = DebianPackage.require("chromium", Path.of("/usr/bin/chromium"));
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        LaunchOptions options = new LaunchOptions()
                .setExecutablePath(program)
                .setArgs(List.of("--no-sandbox", "--disable-dev-shm-usage"));
        return new Browser(playwright, playwright.chromium().launch(options));
    }

    /** Opens a new session without stored data. */
    Page visit(String address) {
        Page page = chromium.newContext(
                        new com.microsoft.playwright.Browser.NewContextOptions().setViewportSize(1280, 1000))
                .newPage();
        page.setDefaultTimeout(120_000);
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")) {
                complaints.add(message.text());
            }
        });
        page.onPageError(complaints::add);
        page.onDialog(dialog -> {
            complaints.add("dialog: " + dialog.message());
            dialog.dismiss();
        });
        page.navigate(address);
        return page;
    }

    /** Failed scripts, refused resources and opened dialogs. */
    List<String> complaints() {
        return complaints;
    }

    static void picture(Page page, String name) {
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(PICTURES.resolve(name + ".png"))
                .setFullPage(true));
    }

    @Override
    public void close() {
        playwright.close();
    }
}
