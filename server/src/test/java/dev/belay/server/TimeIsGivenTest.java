package dev.belay.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.belay.Deadline;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Everything that serves sessions goes by the [dev.belay.Time] it is given, so that a test can move it.
@Tag("any-user")
class TimeIsGivenTest {
    private static final String[] PACKAGES = {
            "dev.belay", "dev.belay.access..", "dev.belay.agent..", "dev.belay.mcp..", "dev.belay.screens..",
            "dev.belay.server.."
    };
    /// The clock of the machine, wherever it can be read.
    private static final Map<String, List<String>> RAW = Map.of(
            System.class.getName(), List.of("nanoTime", "currentTimeMillis"),
            Instant.class.getName(), List.of("now"),
            Clock.class.getName(), List.of("systemUTC", "systemDefaultZone"));
    /// The one implementation, and what belongs to it: deadlines of hosts, whose processes know no other time.
    private static final String SYSTEM = "dev.belay.SystemTime";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.belay");

    @Test
    void onlyOneClassReadsTheClockOfTheMachine() {
        assertThat(CLASSES.get(SYSTEM).getAccessesFromSelf()).anyMatch(access -> isRaw(access.getTarget()));
        assertThat(CLASSES.contain("dev.belay.agent.AgentTools")).isTrue();
        assertThat(CLASSES.contain("dev.belay.mcp.Conversation")).isTrue();
        assertThat(CLASSES.contain("dev.belay.screens.Screens")).isTrue();
        noClasses().that().resideInAnyPackage(PACKAGES).and().doNotHaveFullyQualifiedName(SYSTEM)
                .should().accessTargetWhere(DescribedPredicate.describe("it is the machine's clock",
                        (JavaAccess<?> access) -> isRaw(access.getTarget())))
                .check(CLASSES);
    }

    @Test
    void deadlinesAreMadeWithATime() {
        noClasses().that().resideInAnyPackage(PACKAGES)
                .should().callMethod(Deadline.class, "in", Duration.class)
                .check(CLASSES);
    }

    private static boolean isRaw(AccessTarget target) {
        return RAW.getOrDefault(target.getOwner().getName(), List.of()).contains(target.getName());
    }
}
