import { useLayoutEffect, useRef } from "preact/hooks";
import { chatTexts, describeSignIn } from "../state/chat-texts.ts";
import { Dialog } from "./controls/dialog.tsx";
import { usePage, useSay } from "./page-model.ts";

/** Asks for the token of a server that wants one. There is nothing to go on with without it, so it does not close. */
export function SignIn() {
  const { chat, tokenAsked, tokenProblem, setToken, prepareSignIn } = usePage();
  const say = useSay();
  const token = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => token.current?.focus(), [tokenAsked.value]);
  const provider = chat.value.account?.provider;
  const send = (event: Event): void => {
    event.preventDefault();
    const given = token.current?.value.trim() ?? "";
    if (given === "") return;
    tokenAsked.value = "no";
    void setToken(given);
  };
  return (
    <Dialog class="sign-in" label={say(chatTexts.signIn)}>
      <form onSubmit={send}>
        <h2>{say(chatTexts.signIn)}</h2>
        {provider !== undefined && (
          <a
            class="provider"
            href="/signin/start"
            onClick={({ currentTarget }) => {
              const { pathname, search, hash } = window.location;
              currentTarget.href = `/signin/start?${new URLSearchParams({ to: pathname + search + hash })}`;
              prepareSignIn();
            }}
          >
            {say(describeSignIn(provider))}
          </a>
        )}
        <p class="hint">{say(chatTexts.signInWhy)}</p>
        <label class="field">
          <span>{say(chatTexts.token)}</span>
          <input type="password" id="token" autocomplete="off" required ref={token} />
        </label>
        <p class="problem" role="alert">
          {tokenProblem.value || (tokenAsked.value === "again" && say(chatTexts.wrongToken))}
        </p>
        <div class="actions">
          <button type="submit" class="primary">
            {say(chatTexts.signIn)}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
