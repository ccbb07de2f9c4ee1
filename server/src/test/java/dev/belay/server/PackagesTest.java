package dev.belay.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The order of the server's packages.
@Tag("any-user")
class PackagesTest {
    private static final String ROOT = "dev.belay.server";
    private static final List<String> DOORS = List.of("rest", "ws", "terminal", "mcp");
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    @Test
    void packagesAreFreeOfCycles() {
        slices().assignedFrom(new ByPackage()).should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void noDoorUsesAnother() {
        for (String door : DOORS) {
            String[] others = DOORS.stream().filter(other -> !other.equals(door)).map(PackagesTest::within)
                    .toArray(String[]::new);
            noClasses().that().resideInAPackage(within(door)).should().dependOnClassesThat().resideInAnyPackage(others)
                    .check(CLASSES);
        }
    }

    /// Only the door to agents, which others mount, knows the server that it stands in.
    @Test
    void partsDoNotKnowTheServer() {
        noClasses().that().resideInAPackage(ROOT + ".*..").and().resideOutsideOfPackage(within("mcp"))
                .should().dependOnClassesThat().resideInAPackage(ROOT).check(CLASSES);
    }

    /// The root package counts too, unlike in ArchUnit's own patterns.
    private static final class ByPackage implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName());
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    }

    private static String within(String part) {
        return ROOT + "." + part + "..";
    }
}
