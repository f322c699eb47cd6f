package io.waybill.jdbc;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The packages below {@code io.waybill.jdbc} depend on each other in one direction. */
@AnalyzeClasses(packages = "io.waybill.jdbc", importOptions = ImportOption.DoNotIncludeTests.class)
class RoomsTest {
    private static final String FACE = "io.waybill.jdbc";

    private static final String SQL = "..jdbc.internal.sql..";
    private static final String EVENT = "..jdbc.internal.event..";
    private static final String ADMIN = "..jdbc.internal.admin..";
    private static final String ASSUMPTION = "..jdbc.internal.assumption..";
    private static final String LANE = "..jdbc.internal.lane..";
    private static final String QUEUE = "..jdbc.internal.queue..";
    private static final String JOURNAL = "..jdbc.internal.journal..";
    private static final String SCHEMA = "..jdbc.internal.schema..";
    private static final String LAYOUT = "..jdbc.layout..";
    private static final String INBOX = "..jdbc.inbox..";
    private static final String SAGA = "..jdbc.saga..";

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("io.waybill.jdbc.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule sqlUsesNoOtherPackage =
            mayNotUse(SQL, EVENT, ADMIN, ASSUMPTION, LANE, QUEUE, JOURNAL, SCHEMA, LAYOUT, INBOX, SAGA);

    @ArchTest
    static final ArchRule eventsUseSql =
            mayNotUse(EVENT, ADMIN, ASSUMPTION, LANE, QUEUE, JOURNAL, SCHEMA, LAYOUT, INBOX, SAGA);

    @ArchTest
    static final ArchRule theViewUsesEvents = mayNotUse(ADMIN, QUEUE, JOURNAL, SCHEMA, LAYOUT, INBOX, SAGA);

    @ArchTest
    static final ArchRule assumptionsUseEvents = mayNotUse(ASSUMPTION, QUEUE, JOURNAL, SCHEMA, LAYOUT, INBOX, SAGA);

    @ArchTest
    static final ArchRule lanesUseEvents = mayNotUse(LANE, QUEUE, JOURNAL, SCHEMA, LAYOUT, INBOX, SAGA);

    @ArchTest
    static final ArchRule enginesUseLanes = noClasses()
            .that()
            .resideInAnyPackage(QUEUE, JOURNAL)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SCHEMA, LAYOUT, INBOX, SAGA);

    @ArchTest
    static final ArchRule theJournalDoesNotUseTheQueue = mayNotUse(JOURNAL, QUEUE);

    @ArchTest
    static final ArchRule theInboxUsesSqlEventsAndTheView =
            mayNotUse(INBOX, ASSUMPTION, LANE, QUEUE, JOURNAL, SCHEMA, LAYOUT, SAGA);

    @ArchTest
    static final ArchRule sagasUseSqlAndEvents =
            mayNotUse(SAGA, ADMIN, ASSUMPTION, LANE, QUEUE, JOURNAL, SCHEMA, LAYOUT, INBOX);

    /** A layout creates and checks the tables of the outbox beside its own. */
    @ArchTest
    static final ArchRule onlyValuesOfThePublicPackageAreUsed = noClasses()
            .that()
            .resideOutsideOfPackages(FACE, LAYOUT)
            .should()
            .dependOnClassesThat(resideInAPackage(FACE)
                    .and(not(belongToAnyOf(
                            Engine.class,
                            DatabaseProduct.class,
                            DatabaseRole.class,
                            UnsupportedByDatabaseException.class))));

    /** waybill-inbox is an optional dependency: a service that only publishes has neither it nor the JSON parser it brings. */
    @ArchTest
    static final ArchRule onlyTheInboxUsesConsumerCode = noClasses()
            .that()
            .resideOutsideOfPackages(INBOX, SAGA)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.waybill.inbox..", INBOX);

    /** waybill-saga is an optional dependency like waybill-inbox, and brings a larger JSON library. */
    @ArchTest
    static final ArchRule onlyTheSagaStoreUsesTheEngine = noClasses()
            .that()
            .resideOutsideOfPackage(SAGA)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.waybill.saga..", SAGA);

    @ArchTest
    static final ArchRule theStoreUsesNoJsonLibraryAndNoRelay =
            noClasses().should().dependOnClassesThat().resideInAnyPackage("tools.jackson..", "io.waybill.relay..");

    private static ArchRule mayNotUse(String room, String... others) {
        return noClasses()
                .that()
                .resideInAPackage(room)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others);
    }
}
