package io.waybill.chaos.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.waybill.chaos.cluster.ClusterSize;
import io.waybill.chaos.fault.Faults;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final ClusterSize SHAPE = new ClusterSize(3, 3, 2);
    private static final Duration LENGTH = Duration.ofMinutes(10);

    @Test
    void theSameSeedGivesTheSameSchedule() {
        LongStream.range(0, 50).forEach(seed -> assertThat(lines(seed)).isEqualTo(lines(seed)));
        assertThat(lines(1)).isNotEqualTo(lines(2));
    }

    @Test
    void faultsWithACommonTargetDoNotOverlap() {
        LongStream.range(0, 50).forEach(seed -> {
            List<PlannedFault> plan = Schedule.draw(seed, LENGTH, Faults.usual(), SHAPE);
            for (int i = 0; i < plan.size(); i++) {
                for (int j = i + 1; j < plan.size(); j++) {
                    PlannedFault one = plan.get(i);
                    PlannedFault other = plan.get(j);
                    boolean together =
                            one.at().compareTo(other.end()) < 0 && other.at().compareTo(one.end()) < 0;
                    boolean shared = !Collections.disjoint(
                            one.fault().targets(), other.fault().targets());
                    assertThat(together && shared).as("%s and %s", one, other).isFalse();
                }
            }
        });
    }

    @Test
    void everyFaultOccursAndEndsWithinTheRun() {
        LongStream.range(0, 50).forEach(seed -> {
            List<PlannedFault> plan = Schedule.draw(seed, LENGTH, Faults.usual(), SHAPE);
            Set<String> names = new HashSet<>();
            plan.forEach(planned -> names.add(planned.fault().name()));
            assertThat(names).hasSameSizeAs(Faults.usual());
            assertThat(plan).allSatisfy(planned -> assertThat(planned.end()).isLessThanOrEqualTo(LENGTH));
        });
    }

    /** Overlapping faults are the main purpose of a run. */
    @Test
    void someFaultsOverlap() {
        List<PlannedFault> plan = Schedule.draw(1, LENGTH, Faults.usual(), SHAPE);
        assertThat(plan)
                .anySatisfy(one -> assertThat(plan)
                        .anySatisfy(other ->
                                assertThat(other.at()).isBetween(one.at().plusMillis(1), one.end())));
    }

    @Test
    void namesAreUniqueAndDescribed() {
        assertThat(Faults.names()).doesNotHaveDuplicates().allMatch(name -> name.matches("[a-z]+(-[a-z]+)+"));
        assertThat(Faults.all())
                .allSatisfy(fault -> assertThat(fault.description()).isNotBlank());
    }

    private static List<String> lines(long seed) {
        return Schedule.draw(seed, LENGTH, Faults.usual(), SHAPE).stream()
                .map(PlannedFault::toString)
                .toList();
    }
}
