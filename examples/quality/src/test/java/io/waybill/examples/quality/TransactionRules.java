package io.waybill.examples.quality;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.lang.ArchRule;
import java.sql.Connection;
import java.util.List;
import java.util.Set;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.RestController;

/** Rules for transactions: the route owns the transaction, and no other class begins, ends or leaves one. */
final class TransactionRules {
    private TransactionRules() {}

    static final ArchRule SERVICES_TAKE_PART = classes()
            .that()
            .areAnnotatedWith(Service.class)
            .should()
            .beAnnotatedWith(describe(
                    "@Transactional(MANDATORY)",
                    annotation -> annotation.getRawType().isEquivalentTo(Transactional.class)
                            && annotation.as(Transactional.class).propagation() == Propagation.MANDATORY));

    static final ArchRule SERVICES_DO_NOT_CHANGE_THAT = methods()
            .that()
            .areDeclaredInClassesThat()
            .areAnnotatedWith(Service.class)
            .should()
            .notBeAnnotatedWith(Transactional.class);

    static final ArchRule NOBODY_ENDS_A_TRANSACTION = noClasses()
            .should()
            .dependOnClassesThat(resideInAPackage("org.springframework.transaction.support..")
                    .or(describe(
                            "are transaction managers",
                            type -> type.isAssignableTo(org.springframework.transaction.TransactionManager.class))))
            .orShould()
            .callMethodWhere(commitsOrRollsBack());

    static final ArchRule SERVICES_KNOW_NO_USERS = noClasses()
            .that()
            .areAnnotatedWith(Service.class)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework.security..", "io.waybill.examples.quality.security..");

    static final ArchRule SERVICES_HAVE_NO_SIDE_EFFECTS_BUT_THE_OUTBOX = noClasses()
            .that()
            .areAnnotatedWith(Service.class)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.net..",
                    "java.io..",
                    "java.nio..",
                    "org.apache.kafka..",
                    "org.springframework.web.client..",
                    "org.springframework.mail..",
                    "org.springframework.context..");

    static final ArchRule ROUTES_OWN_THE_TRANSACTION = methods()
            .that()
            .areDeclaredInClassesThat()
            .areAnnotatedWith(RestController.class)
            .and(describe("call a service", TransactionRules::callsAService))
            .should()
            .beAnnotatedWith(describe(
                    "@Transactional of their own",
                    annotation -> annotation.getRawType().isEquivalentTo(Transactional.class)
                            && annotation.as(Transactional.class).propagation() == Propagation.REQUIRED));

    static final List<ArchRule> ALL = List.of(
            SERVICES_TAKE_PART,
            SERVICES_DO_NOT_CHANGE_THAT,
            NOBODY_ENDS_A_TRANSACTION,
            SERVICES_KNOW_NO_USERS,
            SERVICES_HAVE_NO_SIDE_EFFECTS_BUT_THE_OUTBOX,
            ROUTES_OWN_THE_TRANSACTION);

    private static boolean callsAService(JavaMethod route) {
        return route.getMethodCallsFromSelf().stream()
                .anyMatch(call -> call.getTargetOwner().isAnnotatedWith(Service.class));
    }

    private static DescribedPredicate<JavaCall<?>> commitsOrRollsBack() {
        return describe("commits or rolls back", call -> {
            JavaClass owner = call.getTargetOwner();
            return owner.isAssignableTo(Connection.class)
                    && Set.of("commit", "rollback", "setAutoCommit").contains(call.getName());
        });
    }
}
