package io.waybill.nats;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class PublicFaceTest {
    private static final JavaClasses CODE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.waybill.nats");

    @Test
    void onlyTheTransportTheInboxTheirBuildersAndTheDiagnosisArePublic() {
        classes()
                .that()
                .arePublic()
                .should()
                .haveNameMatching("io\\.waybill\\.nats\\.Nats((Transport|Inbox)(\\$Builder)?|Diagnosis)")
                .check(CODE);
    }

    /** waybill-inbox is an optional dependency: a service that only publishes does not have it. */
    @Test
    void theTransportReachesNoConsumerCode() {
        noClasses()
                .that()
                .haveFullyQualifiedName(NatsTransport.class.getName())
                .should()
                .transitivelyDependOnClassesThat()
                .resideInAnyPackage("io.waybill.inbox..", "io.waybill.relay..", "tools.jackson..")
                .check(CODE);
    }

    @Test
    void theConsumerDoesNotUseTheRelay() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.waybill.relay..")
                .check(CODE);
    }
}
