# shellcheck shell=sh
# Finds Java 25 or newer, without starting a JVM. Sourced by ./belay and scripts/maven.sh.
#
#   belay_find_java java    sets belay_java_home to a Java that can run Belay; fails if there is none
#   belay_find_java javac   the same, for a JDK that can also build Belay
#
# Uses JAVA_HOME if it is new enough, otherwise the first Java 25 found, otherwise a newer one.
# All names begin with belay_, so that variables that the caller exports stay unchanged.

# Sets belay_release to the feature release of the Java in folder $1, if that has the program $2.
belay_release_of() {
    belay_release=0
    [ -x "$1/bin/$2" ] && [ -r "$1/release" ] || return 1
    while IFS= read -r belay_line || [ -n "$belay_line" ]; do
        case $belay_line in
            JAVA_VERSION=*)
                belay_line=${belay_line#JAVA_VERSION=}
                belay_line=${belay_line#\"}
                belay_release=${belay_line%%[!0-9]*}
                break
                ;;
        esac
    done <"$1/release"
    [ "${belay_release:-0}" -ge 25 ]
}

belay_find_java() {
    belay_java_home=
    if [ -n "${JAVA_HOME:-}" ] && belay_release_of "$JAVA_HOME" "$1"; then
        belay_java_home=$JAVA_HOME
        return 0
    fi
    belay_on_path=$(command -v java 2>/dev/null) && belay_on_path=$(readlink -f "$belay_on_path" 2>/dev/null)
    belay_newer=
    for belay_candidate in \
        "${belay_on_path%/bin/java}" \
        /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* \
        "${SDKMAN_DIR:-${HOME:-}/.sdkman}"/candidates/java/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home \
        "${HOME:-}"/Library/Java/JavaVirtualMachines/*/Contents/Home \
        /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home \
        /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
        belay_release_of "$belay_candidate" "$1" || continue
        if [ "$belay_release" -eq 25 ]; then
            belay_java_home=$belay_candidate
            return 0
        fi
        belay_newer=${belay_newer:-$belay_candidate}
    done
    if [ -x /usr/libexec/java_home ]; then
        belay_candidate=$(/usr/libexec/java_home -v 25 2>/dev/null) &&
            belay_release_of "$belay_candidate" "$1" && belay_newer=$belay_candidate
    fi
    belay_java_home=$belay_newer
    [ -n "$belay_java_home" ]
}

# Prints to stderr what to install. $1: java or javac.
belay_explain_java() {
    if [ "$1" = javac ]; then
        echo "belay: building needs JDK 25 or newer (with javac), but none was found." >&2
    else
        echo "belay: Belay needs Java 25 or newer, but none was found." >&2
    fi
    cat >&2 <<'EOF'
Searched JAVA_HOME, PATH, the usual JVM folders and SDKMAN. To install one:
  Debian, Ubuntu   sudo apt-get install openjdk-25-jdk-headless
                   (releases without it: package temurin-25-jdk from https://adoptium.net/installation/linux)
  Fedora           sudo dnf install java-25-openjdk-devel
  macOS            brew install --cask temurin@25
  SDKMAN           sdk install java 25-tem
or set JAVA_HOME to the folder of a JDK you have.
EOF
}
