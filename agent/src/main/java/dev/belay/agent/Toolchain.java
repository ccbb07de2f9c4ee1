package dev.belay.agent;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Knows the commands of development tools: compilers, builds, package managers, version control.
public final class Toolchain {
    private static final Set<String> PROGRAMS = Set.of(
            // Rust
            "cargo", "rustc", "rustup",
            // JavaScript
            "npm", "npx", "yarn", "pnpm", "bun", "bunx", "deno", "node", "corepack", "tsc", "vite", "webpack", "eslint",
            "jest", "vitest",
            // Python
            "python", "pip", "pipx", "uv", "uvx", "poetry", "pdm", "hatch", "conda", "mamba", "pytest", "tox", "nox",
            "mypy", "ruff",
            // Go
            "go", "gofmt", "golangci-lint",
            // the JVM
            "java", "javac", "jshell", "mvn", "mvnd", "mvnw", "gradle", "gradlew", "ant", "sbt", "kotlinc", "scala",
            "scalac", "lein", "clojure",
            // C and C++
            "make", "gmake", "cmake", "ctest", "ninja", "meson", "bazel", "buck2", "gcc", "g++", "cc", "c++", "clang",
            "clang++", "ld", "autoconf", "automake", "configure",
            // others
            "dotnet", "msbuild", "ruby", "gem", "bundle", "rake", "php", "composer", "swift", "swiftc", "xcodebuild",
            "zig", "ghc", "cabal", "stack", "mix", "elixir", "erlc", "rebar3", "dart", "flutter", "nix",
            // around them
            "git", "gh", "hg", "svn", "docker", "docker-compose", "podman", "buildah", "kubectl", "helm", "terraform",
            "ansible-playbook", "which");
    private static final Pattern VERSION = Pattern.compile("-?[0-9][0-9.]*$");

    private Toolchain() {}

    /// The development tool that a command runs first, if it runs one.
    public static Optional<String> of(CommandText command) {
        return command.parts().stream().map(part -> tool(part.program())).flatMap(Optional::stream).findFirst();
    }

    /// `python3.12` is python, `gcc-12` is gcc.
    private static Optional<String> tool(String program) {
        if (PROGRAMS.contains(program)) {
            return Optional.of(program);
        }
        String bare = VERSION.matcher(program).replaceFirst("");
        return PROGRAMS.contains(bare) ? Optional.of(bare) : Optional.empty();
    }
}
