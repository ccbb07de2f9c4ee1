package dev.belay.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.belay.agent.AgentSettings;
import dev.belay.mcp.Results;
import dev.belay.server.mcp.McpDoor;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The web console in a real browser; `console/test/browser` has what it does. In each of these a message in the
/// browser's console, a violation of the page's policy or a request to another host is a failure.
@Tag("any-user")
@Tag("slow")
class ConsoleTest extends WithServer {
    private static final Path CONSOLE = Path.of("../console");

    @Override
    Server.Builder refine(Server.Builder builder) {
        return builder.mount(McpDoor.PATH,
                one -> new McpDoor(one, () -> AgentSettings.DEFAULT, () -> Results.TEXT, "test"));
    }

    private void play(String scenario) throws Exception {
        String tokens = """
                {"admin": "%s", "alice": "%s", "bob": "%s", "eve": "%s"}""".formatted(ADMIN, ALICE, BOB, EVE);
        Node.run(CONSOLE, "browser/run.js", scenario, server.address(), tokens);
    }

    @Test
    void aLinkATokenOrAnotherTabSignInAndAReloadStaysSignedIn() throws Exception {
        play("signIn");
    }

    @Test
    void aLinkThatIsUsedUpLeadsToAPageThatSaysSoWithoutALoop() throws Exception {
        play("expiredLink");
    }

    @Test
    void aTerminalIsOpenedTypedIntoReadEndedAndRunAgain() throws Exception {
        play("openTypeRead");
    }

    @Test
    void whatAHostileProgramPrintsHasNoEffect() throws Exception {
        play("hostile");
    }

    @Test
    void aPasteOfAMegabyteArrivesWhole() throws Exception {
        play("largePaste");
    }

    @Test
    void severalLinesAreAskedAboutAndControlCharactersLeftOut() throws Exception {
        play("pasteAsks");
    }

    @Test
    void keysOfThePageSendNothingAndAllOthersTheirBytes() throws Exception {
        play("keys");
    }

    @Test
    void terminalsHaveColoursWideCharactersTheMouseLinksCopiesAndASize() throws Exception {
        play("abilities");
    }

    @Test
    void theFactsOfASessionAreShownAndItsOutputDownloaded() throws Exception {
        play("facts");
    }

    @Test
    void aPersonTakesOverFromAnAgentTypesPrivatelyAndHandsBack() throws Exception {
        play("takeOver");
    }

    @Test
    void everythingWorksByKeysAndTabsAndSplitsSurviveAReload() throws Exception {
        play("endWithKeys");
    }

    @Test
    void aCounterGoesOnOverReloadsAndALostConnectionWithoutGapOrStrayByte() throws Exception {
        play("reloadAndOffline");
    }

    @Test
    void halfAMinuteOfflineCostsNoByteAndTypesNone() throws Exception {
        play("halfAMinuteOffline");
    }

    @Test
    void keysThatArePressedBeforeATerminalTakesThemArriveOnce() throws Exception {
        play("firstKeys");
    }

    @Test
    void questionsToTheTerminalAndFiveReloadsTypeNothing() throws Exception {
        play("fiveReloads");
    }

    @Test
    void aFloodIsStoppedByCtrlCAndKeepsBoundedMemory() throws Exception {
        play("flood");
    }

    @Test
    void vimAndHtopLookAsTheyDoOnTheServersScreen() throws Exception {
        play("sameAsTheServer");
    }

    @Test
    void theWallShowsLiveScreensAsTheServerTellsOfThem() throws Exception {
        play("wall");
    }

    @Test
    void aPasswordThatAnAgentWaitsForIsSeenTypedPrivatelyAndHandedBack() throws Exception {
        play("needsYou");
    }

    @Test
    void theCommandsOfAShellAreListedFoundAndCopied() throws Exception {
        play("commands");
    }

    @Test
    void fiveHundredSessionsAreListedAndFollowed() throws Exception {
        play("manySessions");
    }

    @Test
    void nothingSeriousIsFoundByAxeInTheDark() throws Exception {
        play("accessibleDark");
    }

    @Test
    void nothingSeriousIsFoundByAxeInTheLight() throws Exception {
        play("accessibleLight");
    }

    @Test
    void aPhoneHasOnePaneAMenuOfTabsAndTheKeysItLacks() throws Exception {
        play("phone");
    }

    @Test
    void picturesForTheDocsCanBeTaken() throws Exception {
        play("pictures");
    }

    // --- without a browser ---

    @Test
    void filesOfTheConsoleAreCompressedTaggedAndKeptForEver() throws Exception {
        HttpResponse<String> page = get("/");
        assertThat(page.headers().firstValue("Cache-Control")).contains("no-cache");
        Matcher script = Pattern.compile("src=\"(/assets/main-[A-Z0-9]+\\.js)\"").matcher(page.body());
        assertThat(script.find()).as(page.body()).isTrue();
        HttpResponse<String> packed = get(script.group(1), "Accept-Encoding", "gzip");
        assertThat(packed.headers().firstValue("Content-Encoding")).contains("gzip");
        assertThat(packed.headers().firstValue("Cache-Control").orElseThrow()).contains("immutable");
        String tag = packed.headers().firstValue("ETag").orElseThrow();
        assertThat(get(script.group(1), "If-None-Match", tag).statusCode()).isEqualTo(304);
        assertThat(get("/assets/../files").statusCode()).isGreaterThanOrEqualTo(400);
    }

    private HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.address()).resolve(path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
