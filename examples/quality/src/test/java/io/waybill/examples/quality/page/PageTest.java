package io.waybill.examples.quality.page;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.waybill.examples.quality.Service;
import io.waybill.testkit.servers.SharedServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The page in a real browser, on a real service. */
class PageTest {
    private static final String SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'";

    private static Service service;
    private static Browser browser;

    @BeforeAll
    static void start() {
        browser = Browser.open();
        service = Service.start(SharedServers.freshDatabase());
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
        if (service != null) {
            service.close();
        }
    }

    @AfterEach
    void thePageHasReportedNoErrors() {
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void aNonconformityIsReportedClosedAndAuditedOnThePage() {
        Page page = signedIn("admin");
        addSupplier(page, "Bolts & Sons", "2031-01-31");
        report(page, "Bolts & Sons", "high", "Thread too short");

        Locator row = page.locator("#ncs tbody tr").filter(new Locator.FilterOptions().setHasText("Thread too short"));
        assertThat(row).containsText("high");
        assertThat(page.locator("#audit tbody")).containsText("NC_CREATED_HANDLED");
        assertThat(page.locator("#kpi-nc_open_high b")).hasText("1");

        row.getByRole(AriaRole.BUTTON).click();
        assertThat(row).containsText("closed");
        assertThat(page.locator("#audit tbody")).containsText("NC_CLOSED_HANDLED");
        assertThat(page.locator("#kpi-nc_open_high b")).hasText("0");
        assertThat(page.locator("#kpi-outbox_pending b")).hasText("0");
        Browser.picture(page, "quality");
    }

    @Test
    void aChangedCertificationIsAudited() {
        Page page = signedIn("admin");
        addSupplier(page, "Nuts Ltd", "2020-01-01");
        assertThat(page.locator("#suppliers tbody")).containsText("expired");
        page.getByLabel("Certification of Nuts Ltd").fill("2033-05-05");
        assertThat(page.locator("#audit tbody")).containsText("SUPPLIER_CERT_UPDATED_HANDLED");
    }

    @Test
    void anErrorIsShownAndTheFormKeepsItsInput() {
        Page page = signedIn("procurement");
        addSupplier(page, "Twice Inc", "");
        page.getByLabel("New supplier").fill("Twice Inc");
        page.locator("#suppliers form button").click();
        assertThat(page.locator(".notice.error")).containsText("already");
        assertThat(page.getByLabel("New supplier")).hasValue("Twice Inc");
        browser.complaints().removeIf(text -> text.contains("status of 400")); // the browser's own word for it
    }

    @Test
    void eachRoleSeesItsPartsOfThePage() {
        Page auditor = signedIn("auditor");
        assertThat(auditor.locator("#audit")).isVisible();
        assertThat(auditor.locator("form")).hasCount(0);
        Browser.picture(auditor, "quality-auditor");

        Page procurement = signedIn("procurement");
        assertThat(procurement.locator("#suppliers form")).isVisible();
        assertThat(procurement.locator("#ncs form")).hasCount(0);
        assertThat(procurement.locator("#audit")).hasCount(0);
        assertThat(procurement.locator("#kpi")).hasCount(0);
    }

    @Test
    void inputIsShownAsTextAndNeverAsMarkup() {
        Page page = signedIn("admin");
        addSupplier(page, "<b>Bold</b> & Co", "");
        report(page, "<b>Bold</b> & Co", "low", SCRIPT);
        assertThat(page.locator("#ncs tbody")).containsText("<img src=x onerror=alert(1)>");
        assertThat(page.locator("#suppliers tbody b")).hasCount(0);
        assertThat(page.locator("#ncs tbody img, #ncs tbody script")).hasCount(0);
    }

    @Test
    void aWrongPasswordIsRefusedAndSigningOutForgetsTheToken() {
        Page page = browser.visit(address());
        page.getByLabel("User").fill("admin");
        page.getByLabel("Password").fill("wrong");
        page.locator("#login form button").click();
        assertThat(page.locator(".notice.error")).isVisible();
        browser.complaints().removeIf(text -> text.contains("status of 401"));

        page.locator("[data-user=quality]").click();
        assertThat(page.locator("#user")).hasText("quality");
        page.reload();
        assertThat(page.locator("#user")).hasText("quality");
        page.locator("#sign-out").click();
        page.reload();
        assertThat(page.locator("#login")).isVisible();
    }

    @Test
    void anExpiredTokenLeadsBackToTheLogin() {
        Page page = signedIn("quality");
        page.evaluate("""
                () => {
                    const [head, claims] = sessionStorage.getItem('quality-token').split('.');
                    sessionStorage.setItem('quality-token', `${head}.${claims}.AAAA`);
                }""");
        assertThat(page.locator("#login")).isVisible();
        browser.complaints().removeIf(text -> text.contains("status of 401"));
    }

    private static Page signedIn(String user) {
        Page page = browser.visit(address());
        page.locator("[data-user=" + user + "]").click();
        assertThat(page.locator("#user")).hasText(user);
        return page;
    }

    private static void addSupplier(Page page, String name, String expiry) {
        page.getByLabel("New supplier").fill(name);
        page.getByLabel("Certified until").fill(expiry);
        page.locator("#suppliers form button").click();
        assertThat(page.locator("#suppliers tbody")).containsText(name);
    }

    private static void report(Page page, String supplier, String severity, String description) {
        page.locator("#ncs select[name=supplier_id]").focus();
        page.locator("#ncs select[name=supplier_id]").selectOption(supplier);
        page.locator("#ncs select[name=severity]").selectOption(severity);
        page.getByLabel("What is wrong").fill(description);
        page.locator("#ncs form button").click();
        assertThat(page.locator("#ncs tbody")).containsText(description.substring(0, 10));
    }

    private static String address() {
        return "http://127.0.0.1:" + service.context().getEnvironment().getRequiredProperty("local.server.port") + "/";
    }
}
