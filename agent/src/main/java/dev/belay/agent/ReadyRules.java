package dev.belay.agent;

import dev.belay.ExecPolicy.Action;
import dev.belay.Quoted;
import dev.belay.SessionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Rules that come with Belay, for what people most often want to be asked about. They know other names of the same
/// thing and abbreviations, but no copies and nothing that an interpreter is told to do: a list of what is allowed is
/// stronger.
///
/// Each line is a rule: programs; then `:` and words of which the command has one in any place, or `~` and a regular
/// expression for the whole command, or nothing for all commands. `pu|blish` stands for `pu`, `pub` and so on to
/// `publish`.
public enum ReadyRules {
    /// What makes something available to others.
    PUBLISH("""
            git hg jj sl bzr fossil darcs: push
            git: send-pack http-push imap-send send-email dcommit
            git-push git-send-pack git-http-push git-imap-send git-send-email
            svn: commit ci import
            npm npm-cli.js pnpm yarn yarnpkg bun deno: pu|blish unp|ublish
            node nodejs ~ (?s) (.* )?[^ ]*(npm|yarn)[^ ]*( .*)? (pu(b(l(i(sh?)?)?)?)?|unp[a-z]*)( |$)
            lerna changeset vsce ovsx jsr cargo poetry flit hatch uv pdm wasm-pack sbt mix dart flutter: publish
            np release-it semantic-release
            ~ (?s)^python[^ ]* (.* )?([^ ]*/)?(twine|poetry|flit|hatch|pdm|uv)( .*)? (upload|publish)( |$)
            twine: upload
            mvn mvnw mvnd ~ (?s)[ :](deploy|deploy-file|perform)(@[^ ]*)?( |$)
            gradle gradlew ~ (?s)[ :](pub[A-Za-z]*|p[A-Z][A-Za-z]*|upload[A-Za-z]*)( |$)
            gem dotnet nuget: push
            docker docker-compose docker-buildx podman buildah nerdctl helm crane oras: push --push --push=true
            skopeo: copy sync
            gh glab hub: create upload merge api
            """),
    /// What changes what runs elsewhere.
    DEPLOY("""
            kubectl oc: annotate apply autoscale cordon create delete drain edit expose label patch replace rollout run
            kubectl oc: scale set taint uncordon
            helm: install upgrade rollback uninstall delete
            terraform tofu terragrunt: apply destroy import
            pulumi: up update destroy
            ansible ansible-playbook ansible-pull vercel vc
            cdk sam serverless sls netlify firebase wrangler heroku eb cf: deploy destroy rollback publish promote
            fly flyctl railway kamal nomad: deploy launch up run destroy rollback
            docker podman node nodejs npx bunx: deploy
            aws gcloud az doctl ~ (?s) (deploy|create|update|delete|put|run|start|stop|terminate)[^ ]*( |$)
            """),
    /// What removes files, branches, containers and the like.
    DELETE("""
            rm rmdir unlink shred srm wipefs truncate blkdiscard userdel deluser lvremove vgremove
            ~ ^mkfs
            busybox toybox: rm rmdir unlink shred truncate
            coreutils ~ (?s) (--coreutils-prog=)?(rm|rmdir|unlink|shred|truncate)( |$)
            dd ~ (?s) of=
            find: -delete
            rsync ~ (?s) --(del|remove)
            git: clean rm prune drop clear expire filter-branch filter-repo --ha|rd --de|lete
            git ~ (?s) -[A-Za-z]*[dD]( |$)
            git-clean git-rm git-prune git-filter-branch
            docker docker-compose podman nerdctl: rm rmi remove prune down
            kubectl oc helm gcloud az: delete uninstall
            terraform tofu terragrunt pulumi zfs zpool: destroy
            aws ~ (?s) (rm|rb|delete[^ ]*|terminate[^ ]*)( |$)
            """),
    /// What brings programs of others to this machine.
    INSTALL("""
            apt apt-get aptitude nala: install reinstall build-dep upgrade full-upgrade dist-upgrade safe-upgrade
            dpkg ~ (?s) (-[A-Za-z]*i|--install|--unpack)( |$)
            dnf yum microdnf zypper: in install localinstall groupinstall reinstall swap up update upgrade dup
            rpm ~ (?s) (-[A-Za-z]*[iUF][A-Za-z]*|--install|--upgrade)( |$)
            pacman yay paru ~ (?s) (-[A-Za-z]*[SU][A-Za-z]*|--sync|--upgrade)( |$)
            apk snap flatpak brew port: add install reinstall refresh update upgrade tap
            nix-env emerge xbps-install cpan cpanm npx bunx pnpx uvx pipx easy_install
            nix: install profile run shell
            npm npm-cli.js: i|nstall-test isnt|all it add ci cit ic si sit install-c|i-test install-cl|ean
            npm npm-cli.js: clean-i|nstall-test isntall-c|lean x exe exec
            npm npm-cli.js: u up|date upg|rade ud|pate cr|eate ini|t inn|it
            pnpm yarn yarnpkg bun deno corepack: add i install dlx x exec create up update upgrade enable
            node nodejs ~ (?s) (.* )?[^ ]*(npm|yarn)[^ ]*( .*)? (add|cit?|ic|sit?|x|exec?|i([nst][a-z-]*)?)( |$)
            node nodejs ~ (?s) (.* )?[^ ]*(npm|yarn)[^ ]*( .*)? (u([pd][a-z]*)?|cr[eat]*|clean-[a-z-]*)( |$)
            node nodejs ~ (?s) (.* )?[^ ]*npx[^ ]*( |$)
            ~ (?s)^pip[0-9.]*( .*)? (install|download)( |$)
            ~ (?s)^python[^ ]* (.* )?([^ ]*/)?(pip[0-9.]*|pipx|uv|poetry|pdm)( .*)? (install|download|add|sync)( |$)
            ~ (?s)^python[^ ]* (.* )?(ensurepip|easy_install)( |$)
            uv conda mamba micromamba poetry pdm: install add sync update create upgrade tool
            gem cargo go rustup composer luarocks opam: install get add update require toolchain
            make gmake ninja: install
            """);

    private final String lines;

    /// One rule, as far as it is ready.
    private record Line(List<String> programs, List<String> has, @Nullable String match) {}

    ReadyRules(String lines) {
        this.lines = lines;
    }

    private static Line line(String text) {
        int match = text.indexOf("~ ");
        int colon = match < 0 ? text.indexOf(": ") : -1;
        int end = match >= 0 ? match : colon >= 0 ? colon : text.length();
        List<String> programs = words(text.substring(0, end)).toList();
        List<String> has = colon < 0
                ? List.of()
                : words(text.substring(colon + 2)).flatMap(ReadyRules::abbreviations).toList();
        return new Line(programs, has, match < 0 ? null : text.substring(match + 2));
    }

    private static Stream<String> words(String text) {
        return Stream.of(text.split(" ")).filter(word -> !word.isEmpty());
    }

    private static Stream<String> abbreviations(String word) {
        int least = word.indexOf('|');
        if (least < 0) {
            return Stream.of(word);
        }
        String whole = word.substring(0, least) + word.substring(least + 1);
        List<String> all = new ArrayList<>();
        for (int length = least; length <= whole.length(); length++) {
            all.add(whole.substring(0, length));
        }
        return all.stream();
    }

    /// The name in settings.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// The ready rules with this name.
    public static ReadyRules of(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT));
    }

    /// The rules.
    ///
    /// @param name what they are called when they ask or deny
    public List<Rule> rules(String name, Action action, @Nullable String workdir, List<String> principals) {
        if (action == Action.ALLOW) {
            throw SessionException.invalid("Rule " + Quoted.of(name)
                    + " uses ready rules, which can only ask or deny: they do not list what is harmless.");
        }
        return lines.lines()
                .map(ReadyRules::line)
                .map(line -> Rule.of(
                        name, action, line.programs(), line.match(), List.of(), line.has(), workdir, principals))
                .toList();
    }
}
