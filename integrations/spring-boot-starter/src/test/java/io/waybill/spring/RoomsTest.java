package io.waybill.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The packages of the starter depend on each other in one direction, and each of them on the public package. */
@AnalyzeClasses(packages = "io.waybill.spring", importOptions = ImportOption.DoNotIncludeTests.class)
class RoomsTest {
    private static final String FACE = "io.waybill.spring";
    private static final String START = "..spring.internal.start..";
    private static final String OUTBOX = "..spring.internal.outbox..";
    private static final String BROKER = "..spring.internal.broker..";
    private static final String INBOX = "..spring.internal.inbox..";
    private static final String RELAY = "..spring.internal.relay..";
    private static final String SAGA = "..spring.internal.saga..";
    private static final String ACTUATE = "..spring.actuate..";
    private static final String TEST = "..spring.test..";

    /** Every package is a slice of its own, the public package included. */
    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("io.waybill.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule thePublicPackageUsesNoOtherPackage =
            mayNotUse(FACE, START, OUTBOX, BROKER, INBOX, RELAY, SAGA, ACTUATE, TEST);

    @ArchTest
    static final ArchRule startChecksUseNoFeature = mayNotUse(START, OUTBOX, BROKER, INBOX, RELAY, SAGA, ACTUATE, TEST);

    @ArchTest
    static final ArchRule theOutboxUsesNeitherBrokerNorInboxNorRelay =
            mayNotUse(OUTBOX, BROKER, INBOX, RELAY, SAGA, ACTUATE, TEST);

    @ArchTest
    static final ArchRule brokersUseNeitherInboxNorRelay = mayNotUse(BROKER, INBOX, RELAY, SAGA, ACTUATE, TEST);

    @ArchTest
    static final ArchRule theInboxUsesNeitherRelayNorSagas = mayNotUse(INBOX, RELAY, SAGA, ACTUATE, TEST);

    @ArchTest
    static final ArchRule theRelayDoesNotUseSagas = mayNotUse(RELAY, SAGA, ACTUATE, TEST);

    @ArchTest
    static final ArchRule sagasUseNeitherActuatorNorTests = mayNotUse(SAGA, ACTUATE, TEST);

    private static ArchRule mayNotUse(String room, String... others) {
        return noClasses()
                .that()
                .resideInAPackage(room)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others);
    }
}
