import { useEffect, useState } from "preact/hooks";
import { chatTexts, describeRemoval } from "../state/chat-texts.ts";
import { type SideEntry, toSideEntries } from "../state/side-entries.ts";
import { ConversationRow, toShownTitle } from "./conversation-row.tsx";
import { ConfirmDialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { usePage, useSay } from "./page-model.ts";

/** Shows the list of conversations. */
export function Sidebar() {
  const { chat, locale, drawer, actions } = usePage();
  const say = useSay();
  const [leaving, setLeaving] = useState<SideEntry | undefined>(undefined);
  const entries = toSideEntries(chat.value);
  const begin = (): void => {
    drawer.value = false;
    actions.newChat();
  };
  return (
    <aside class="side" id="side" aria-label={say(chatTexts.conversations)}>
      <header class="side-head">
        <strong class="brand">Duet</strong>
        <button
          type="button"
          class="close-drawer plain"
          aria-label={say(chatTexts.closeSide)}
          onClick={() => {
            drawer.value = false;
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      <button type="button" class="new" onClick={begin}>
        <Icon name="pen" />
        {say(chatTexts.newChat)}
      </button>
      <nav aria-label={say(chatTexts.conversations)}>
        <ul class="conversations">
          {entries.map((entry) => (
            <ConversationRow key={entry.key} entry={entry} remove={() => setLeaving(entry)} />
          ))}
        </ul>
        {entries.length === 0 && <p class="none hint">{say(chatTexts.noConversations)}</p>}
        {chat.value.moreAt !== undefined && (
          <button type="button" class="more" onClick={() => actions.more()}>
            {say(chatTexts.more)}
          </button>
        )}
      </nav>
      <Account />
      <Language />
      {leaving && (
        <ConfirmDialog
          text={say(describeRemoval(toShownTitle(leaving.title, locale.value)))}
          yes={say(chatTexts.remove)}
          no={say(chatTexts.cancel)}
          onAnswer={(isYes) => {
            setLeaving(undefined);
            if (isYes) actions.remove(leaving.id);
          }}
        />
      )}
    </aside>
  );
}

function Account() {
  const { chat } = usePage();
  const say = useSay();
  const { provider, name } = chat.value.account ?? {};
  if (provider === undefined) return null;
  return (
    <a class="account" href="/signin">
      {name === undefined ? say(chatTexts.signIn) : `${name} · ${say(chatTexts.signOut)}`}
    </a>
  );
}

function Language() {
  const { locale, actions } = usePage();
  const say = useSay();
  useEffect(() => {
    document.documentElement.lang = locale.value === "zh" ? "zh-CN" : "en";
  }, [locale.value]);
  return (
    <label class="field language">
      <span>{say(chatTexts.language)}</span>
      <select
        id="language"
        value={locale.value}
        onChange={({ currentTarget }) => actions.chooseLocale(currentTarget.value === "zh" ? "zh" : "en")}
      >
        <option value="zh" lang="zh-CN">
          中文
        </option>
        <option value="en" lang="en">
          English
        </option>
      </select>
    </label>
  );
}
