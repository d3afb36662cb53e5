import { useRef, useState } from "preact/hooks";
import { chatTexts, sideTexts } from "../state/chat-texts.ts";
import { operatorTexts } from "../state/operator-texts.ts";
import { groupEntries, type SideEntry, toSearchEntries, toSideEntries } from "../state/side-entries.ts";
import { usageTexts } from "../state/usage-texts.ts";
import { ConfirmDialog } from "./controls/dialog.tsx";
import { Icon } from "./controls/icon.tsx";
import { Menu } from "./controls/menu.tsx";
import { ConversationRow } from "./conversation-row.tsx";
import { type Theme, usePage, useSay } from "./page-model.ts";

/** Shows the list of conversations. */
export function Sidebar() {
  const { drawer, isFolded, actions } = usePage();
  const say = useSay();
  const close = (): void => {
    if (drawer.value) drawer.value = false;
    else isFolded.value = true;
    document.querySelector<HTMLElement>(".open-drawer")?.focus();
  };
  return (
    <aside class="side" id="side" aria-label={say(chatTexts.conversations)}>
      <header class="side-head">
        <strong class="brand">
          <Logo />
          Duet
        </strong>
        <button type="button" class="close-drawer plain" aria-label={say(chatTexts.closeSide)} onClick={close}>
          <Icon name="side" />
        </button>
      </header>
      <button
        type="button"
        class="new"
        onClick={() => {
          drawer.value = false;
          actions.newChat();
        }}
      >
        <Icon name="pen" />
        {say(chatTexts.newChat)}
      </button>
      <SearchField />
      <ConversationList />
      <Account />
      <SideFoot />
    </aside>
  );
}

/** Shows two voices that meet. */
function Logo() {
  return (
    <svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="9" cy="12" r="6.500" />
      <circle cx="15" cy="12" r="6.500" />
    </svg>
  );
}

/** Waits for a pause in typing, in milliseconds. */
const pauseMs = 200;

function SearchField() {
  const { chat, actions } = usePage();
  const say = useSay();
  const timer = useRef(0);
  const search = (text: string, waitMs: number): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => actions.search(text.trim()), waitMs);
  };
  return (
    <label class="search-field">
      <Icon name="search" />
      <span class="visually-hidden">{say(sideTexts.search)}</span>
      <input
        type="search"
        id="search"
        maxLength={200}
        autocomplete="off"
        placeholder={say(sideTexts.search)}
        defaultValue={chat.value.search?.text ?? ""}
        onInput={({ currentTarget: { value } }) => search(value, value === "" ? 0 : pauseMs)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.currentTarget.value === "") return;
          event.stopPropagation();
          event.currentTarget.value = "";
          search("", 0);
        }}
      />
    </label>
  );
}

function ConversationList() {
  const { chat, actions } = usePage();
  const say = useSay();
  const { search } = chat.value;
  const entries = search === undefined ? toSideEntries(chat.value) : toSearchEntries(chat.value);
  const groups: readonly { readonly key: string; readonly name: string; readonly entries: readonly SideEntry[] }[] =
    search === undefined
      ? groupEntries(entries, Date.now()).map(({ name, ...group }) => ({ ...group, key: name.en, name: say(name) }))
      : [{ key: sideTexts.found.en, name: say(sideTexts.found), entries }];
  const none = search === undefined ? chatTexts.noConversations : sideTexts.notFound;
  const isKnown = search === undefined || search.entries !== undefined;
  return (
    <nav aria-label={say(chatTexts.conversations)} data-searching={search !== undefined}>
      {groups
        .filter((group) => group.entries.length > 0)
        .map((group) => (
          <section key={group.key} class="group" aria-label={group.name}>
            <h2>{group.name}</h2>
            <ul class="conversations">
              {group.entries.map((entry) => (
                <ConversationRow key={entry.key} entry={entry} />
              ))}
            </ul>
          </section>
        ))}
      {entries.length === 0 && isKnown && <p class="none hint">{say(none)}</p>}
      {(search ?? chat.value).moreAt !== undefined && (
        <button type="button" class="more" onClick={() => actions.more()}>
          {say(chatTexts.more)}
        </button>
      )}
    </nav>
  );
}

function Account() {
  const { chat, hasToken, isOwnerKnown, isShowingUsage } = usePage();
  const say = useSay();
  const { provider, name } = chat.value.account ?? {};
  return (
    <div class="account">
      {hasToken.value && isOwnerKnown.value && <SignOut />}
      {!hasToken.value && provider !== undefined && (
        <a href="/signin">{name === undefined ? say(chatTexts.signIn) : `${name} · ${say(chatTexts.signOut)}`}</a>
      )}
      <button
        type="button"
        class="plain open-usage"
        onClick={() => {
          isShowingUsage.value = true;
        }}
      >
        {say(usageTexts.title)}
      </button>
    </div>
  );
}

/** Signs out whoever has given a token; a provider's sign-in has a page of its own. */
function SignOut() {
  const { signOut } = usePage();
  const say = useSay();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" class="plain" onClick={() => setAsking(true)}>
        {say(chatTexts.signOut)}
      </button>
      {isAsking && (
        <ConfirmDialog
          text={say(chatTexts.signOutAsk)}
          yes={say(chatTexts.signOut)}
          no={say(chatTexts.cancel)}
          onAnswer={(isYes) => {
            setAsking(false);
            if (isYes) signOut();
          }}
        />
      )}
    </>
  );
}

const themes: readonly Theme[] = ["auto", "light", "dark"];

function SideFoot() {
  const { chat, theme, help, isOperating } = usePage();
  const say = useSay();
  return (
    <footer class="side-foot">
      <Language />
      {chat.value.settings?.isOperator && (
        <button
          type="button"
          class="plain open-operator"
          aria-label={say(operatorTexts.title)}
          title={say(operatorTexts.title)}
          onClick={() => {
            isOperating.value = true;
          }}
        >
          <Icon name="gear" />
        </button>
      )}
      <Menu
        label={say(sideTexts.theme)}
        icon={theme.value === "dark" ? "moon" : "sun"}
        items={themes.map((each) => ({
          label: say(sideTexts[each]),
          isChosen: each === theme.value,
          act: () => {
            theme.value = each;
          },
        }))}
      />
      <button
        type="button"
        class="plain open-help"
        aria-label={say(sideTexts.help)}
        title={say(sideTexts.help)}
        onClick={() => {
          help.value = true;
        }}
      >
        <Icon name="help" />
      </button>
    </footer>
  );
}

function Language() {
  const { locale, actions } = usePage();
  const say = useSay();
  return (
    <label class="field language">
      <span class="visually-hidden">{say(chatTexts.language)}</span>
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
