package dev.belay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The catalogue of development tools.
class ToolchainTest {
    @ParameterizedTest
    @ValueSource(strings = {
            "cargo", "rustc", "npm", "npx", "yarn", "pnpm", "node", "python", "pip", "uv", "go", "java", "javac", "mvn",
            "gradle", "make", "cmake", "gcc", "clang", "git", "docker", "which"})
    void knowsIt(String program) {
        assertThat(Toolchain.of(CommandText.parse(program + " --version"))).contains(program);
    }

    @ParameterizedTest
    @CsvSource({
            "python3 -V, python",
            "python3.12 x.py, python",
            "pip3 install x, pip",
            "gcc-12 a.c, gcc",
            "clang++-15 a.cc, clang++",
            "./mvnw verify, mvnw",
            "/opt/gradle/bin/gradle build, gradle",
            "cd web && npm ci, npm",
            "echo y | sudo -u x env A=b make, make",
            "bash -lc 'cargo build', cargo",
            "which gcc, which"})
    void knowsItInOtherClothes(String command, String tool) {
        assertThat(Toolchain.of(CommandText.parse(command))).contains(tool);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ls -l", "echo make", "./server --port 1", "makefile", "cat <<E\nmake\nE", "# npm",
            "7z x a"})
    void knowsWhatIsNone(String command) {
        assertThat(Toolchain.of(CommandText.parse(command))).isEmpty();
    }
}
