import { useSignal } from "@preact/signals";
import { Logo } from "../icons.tsx";
import { messageOf } from "../server/api.ts";
import { byToken, type Stage } from "../server/sign-in.ts";

/** How to get in, and why one is out. Nothing here tries again by itself. */
export function SignInPage({ stage }: { stage: Stage & { at: "out" } }) {
  const refused = useSignal("");
  const busy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const token = String(new FormData(form).get("token")).trim();
    form.reset();
    if (!token) return;
    busy.value = true;
    refused.value = "";
    try {
      await byToken(token);
    } catch (error) {
      refused.value = messageOf(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <main class="sign-in">
      <Logo />
      <h1>{stage.expired ? "You are not signed in" : "Sign in to Belay"}</h1>
      {stage.reason && (
        <p class="reason" role="alert">
          {stage.reason}
        </p>
      )}
      <section>
        <h2>With a link</h2>
        <p>
          Open the link that <code>belay serve</code> printed. For a new one, run this where the server runs:
        </p>
        <code class="line">belay link</code>
      </section>
      <form onSubmit={submit}>
        <h2>With a token</h2>
        <label>
          Token
          <input type="password" name="token" class="mono" autocomplete="off" spellcheck={false} required />
        </label>
        <p class="note">The page swaps it for a token of its own and forgets yours.</p>
        {refused.value && (
          <p class="reason" role="alert">
            {refused.value}
          </p>
        )}
        <button type="submit" class="main" disabled={busy.value}>
          Sign in
        </button>
      </form>
    </main>
  );
}
