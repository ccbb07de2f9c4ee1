# shellcheck shell=bash
# Runs Maven for the scripts: on JDK 25, from the root of the tree. Sourced by scripts/verify, quick and test.

# shellcheck source=scripts/find-jdk.sh
source scripts/find-jdk.sh

# Sets JAVA_HOME, or explains what to install and exits. $1: what to try before giving up (a function), if anything.
belay_use_jdk() {
    belay_find_java javac || { [[ -n ${1:-} ]] && "$1"; } || {
        belay_explain_java javac
        exit 1
    }
    export JAVA_HOME=$belay_java_home
}

belay_mvn() {
    # Without these options Java 25 prints warnings about Maven's own libraries.
    MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED" \
        ./mvnw -B -ntp "$@"
}

# Prints "passed failed" for the test reports below the given folders. A skipped test counts as failed.
belay_count() {
    find "$@" -name 'TEST-*.xml' -exec cat {} + 2>/dev/null | awk -v RS='>' '
        function number(name) {
            return match($0, " " name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) + 0 : 0
        }
        /<testsuite / {
            bad = number("failures") + number("errors") + number("skipped")
            passed += number("tests") - bad
            failed += bad
        }
        END { print passed + 0, failed + 0 }'
}
