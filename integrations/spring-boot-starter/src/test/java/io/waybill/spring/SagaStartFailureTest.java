package io.waybill.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.waybill.jdbc.OutboxSchema;
import io.waybill.saga.Saga;
import io.waybill.saga.Sagas;
import io.waybill.testkit.servers.SharedServers;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Whether there is an engine, and what a start with sagas refuses. */
@ExtendWith(OutputCaptureExtension.class)
class SagaStartFailureTest {
    private static final String DATABASE = SharedServers.freshDatabase();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(Apps.AUTO_CONFIGURATIONS)
            .withPropertyValues("spring.datasource.url=" + DATABASE, "spring.application.name=shop");

    @BeforeAll
    static void tables() {
        OutboxSchema.apply(new DriverManagerDataSource(DATABASE));
    }

    @Test
    void withoutASagaThereIsNoEngineAndNoTableIsNeeded() {
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Sagas.class));
    }

    @Test
    void theSagaModuleIsOptional() {
        runner.withClassLoader(new FilteredClassLoader("io.waybill.saga"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RelayLifecycle.class)
                        .doesNotHaveBean("waybillSagaParticipant"));
    }

    @Test
    void missingTablesAreReportedWithTheirSql() {
        String database = SharedServers.freshDatabase();
        OutboxSchema.apply(new DriverManagerDataSource(database));
        runner.withUserConfiguration(OneStep.class)
                .withPropertyValues("spring.datasource.url=" + database)
                .run(context -> assertThat(failure(context))
                        .contains("Waybill's tables do not exist in the database")
                        .contains("add classpath:waybill/flyway/saga to spring.flyway.locations")
                        .contains("sagas schema apply")
                        .contains("CREATE TABLE sagas ("));
    }

    @Test
    void changedStepsNeedANewVersion() {
        runner.withUserConfiguration(OneStep.class)
                .withPropertyValues("waybill.schema=apply")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Sagas.class).isRunning()).isTrue();
                });
        runner.withUserConfiguration(TwoSteps.class)
                .withPropertyValues("waybill.schema=apply")
                .run(context -> assertThat(failure(context))
                        .contains("The steps of saga place-order version 1 differ")
                        .contains("keep a bean of the old version"));
    }

    @Test
    void twoDefinitionsOfOneVersionAreRefused() {
        runner.withUserConfiguration(OneStep.class, TwoSteps.class)
                .withPropertyValues("waybill.schema=apply")
                .run(context -> assertThat(failure(context)).contains("There are two definitions of"));
    }

    @Test
    void aWrongSettingIsRefused() {
        runner.withUserConfiguration(OneStep.class)
                .withPropertyValues("waybill.schema=apply", "waybill.saga.workers=0")
                .run(context -> assertThat(failure(context))
                        .contains("A saga engine needs 1 worker or more")
                        .contains("waybill.saga"));
        runner.withPropertyValues("waybill.saga.retension=1d")
                .run(context -> assertThat(failure(context))
                        .contains("There is no setting waybill.saga.retension. Did you mean waybill.saga.retention?"));
    }

    @Test
    void aServiceThatStartsSagasNeedsADefinition(CapturedOutput output) {
        assertThat(catchThrowable(() -> Apps.run(WithoutDefinition.class, DATABASE, Apps.WITHOUT_JPA)
                        .close()))
                .isNotNull();

        assertThat(output)
                .contains("A bean of type TransactionalSagas is required")
                .contains("the application has no bean of type Saga")
                .contains("Return each saga definition from a @Bean method");
    }

    private static String failure(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        return String.valueOf(NestedExceptionUtils.getMostSpecificCause(requireNonNull(context.getStartupFailure()))
                .getMessage());
    }

    record Order(String id) {}

    @Configuration(proxyBeanMethods = false)
    static class OneStep {
        @Bean
        Saga<Order> one() {
            return Saga.named("place-order", Order.class)
                    .step("check")
                    .local(order -> order)
                    .readOnly()
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoSteps {
        @Bean
        Saga<Order> two() {
            return Saga.named("place-order", Order.class)
                    .step("check")
                    .local(order -> order)
                    .readOnly()
                    .then("check-again")
                    .local(order -> order)
                    .readOnly()
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Service.class)
    static class WithoutDefinition {}

    static class Service {
        Service(TransactionalSagas sagas) {}
    }
}
