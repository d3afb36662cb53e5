import { type Locale, say as sayIn } from "../../../../kit/locale.ts";
import { modeNames } from "../../../../render/mode-names.ts";
import { toView } from "../../run/to-view.ts";
import { renderStatus } from "../../texts.ts";
import type { ChatState } from "../state/chat-state.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { getTalkTitle } from "../state/side-entries.ts";
import { Composer } from "./composer/composer.tsx";
import { Icon } from "./controls/icon.tsx";
import { RemovedToasts } from "./conversation-row.tsx";
import { Help } from "./help.tsx";
import { OpenOperator } from "./operator/open-operator.tsx";
import { OwnUsage } from "./own-usage.tsx";
import { usePage, useSay } from "./page-model.ts";
import { Sidebar } from "./sidebar.tsx";
import { SignIn } from "./sign-in.tsx";
import { Talk } from "./talk.tsx";

/** Shows the whole page: conversations, the talk, the composer. */
export function App() {
  const { chat, locale, drawer, isFolded, help, isOperating, isShowingUsage, tokenAsked, message } = usePage();
  const say = useSay();
  const { isLost, problem } = chat.value;
  return (
    <>
      <div class="app" data-drawer={drawer.value ? "open" : "closed"} data-folded={isFolded.value}>
        {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place on the page, without the place in the address */}
        <a
          class="skip"
          href="#message"
          onClick={(event) => {
            event.preventDefault();
            message.current?.focus();
          }}
        >
          {say(chatTexts.skip)}
        </a>
        <Sidebar />
        {drawer.value && (
          // biome-ignore lint/a11y/noStaticElementInteractions: the close button and Escape do the same by keyboard
          // biome-ignore lint/a11y/useKeyWithClickEvents: the close button and Escape do the same by keyboard
          <div
            class="scrim"
            onClick={() => {
              drawer.value = false;
            }}
          />
        )}
        <div class="main">
          <Top />
          <p class="connection" role="status" hidden={!isLost}>
            {isLost ? say(chatTexts.lost) : ""}
          </p>
          <Talk />
          <p class="problem" role="alert" hidden={problem === undefined}>
            {problem?.text}
          </p>
          <p class="visually-hidden" role="status" aria-live="polite">
            {renderLastStatus(chat.value, locale.value)}
          </p>
          <Composer />
        </div>
      </div>
      <RemovedToasts />
      {help.value && <Help />}
      {isOperating.value && <OpenOperator />}
      {isShowingUsage.value && <OwnUsage />}
      {tokenAsked.value !== "no" && <SignIn />}
    </>
  );
}

function Top() {
  const { chat, drawer, isFolded } = usePage();
  const say = useSay();
  const { mode } = chat.value.choices;
  return (
    <header class="top">
      <button
        type="button"
        class="open-drawer plain"
        aria-label={say(chatTexts.openSide)}
        aria-controls="side"
        aria-expanded={drawer.value}
        onClick={() => {
          if (isFolded.value && !isNarrow()) isFolded.value = false;
          else drawer.value = !drawer.value;
        }}
      >
        <Icon name="side" />
      </button>
      <h1 dir="auto">{getTalkTitle(chat.value) || say(chatTexts.newChat)}</h1>
      <span class="mode-now" data-mode={mode}>
        {say(modeNames[mode])}
      </span>
    </header>
  );
}

/** Returns true where the conversations lie over the talk. */
export function isNarrow(): boolean {
  return window.matchMedia("(max-width: 760px)").matches;
}

/** Returns the text for screen readers: the status of the last run, or the latest change after it. */
function renderLastStatus({ items, turns }: ChatState, locale: Locale): string {
  const item = items.at(-1);
  if (item === undefined) return "";
  if (item.kind === "note") return sayIn(locale, item.text);
  const turn = turns[item.key];
  return turn === undefined ? "" : renderStatus(toView(turn.run), locale);
}
