import { useEffect, useRef, useState } from "preact/hooks";
import { type Locale, say as sayIn } from "../../../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../../../kit/text/sanitize.ts";
import type { ConversationEntry, Match } from "../api/conversation.ts";
import { getUndoMs } from "../state/chat-state.ts";
import { chatTexts, sideTexts } from "../state/chat-texts.ts";
import type { SideEntry } from "../state/side-entries.ts";
import { Icon } from "./controls/icon.tsx";
import { Menu, type MenuItem } from "./controls/menu.tsx";
import { usePage, useSay } from "./page-model.ts";

/** Shows a conversation of the list. */
export function ConversationRow({ entry }: { readonly entry: SideEntry }) {
  const { locale, drawer, actions } = usePage();
  const say = useSay();
  const [isRenaming, setRenaming] = useState(false);
  const { id, isCurrent, mark, match, isPinned } = entry;
  const title = toShownTitle(entry.title, locale.value);
  const label = say({ zh: `“${title}”的更多操作`, en: `More for “${title}”` });
  return (
    <li class="conversation" data-current={isCurrent} data-mark={mark ?? ""} data-pinned={isPinned}>
      {isRenaming ? (
        <RenameField entry={entry} close={() => setRenaming(false)} />
      ) : (
        <>
          <button
            type="button"
            class="open-conversation"
            title={title}
            aria-current={isCurrent ? "true" : undefined}
            onClick={() => {
              drawer.value = false;
              actions.open(id);
            }}
          >
            <span class="title" dir="auto">
              {title}
            </span>{" "}
            {mark && <span class="facts">{say(sideTexts[mark])}</span>}
            {match && <Excerpt match={match} />}
          </button>
          <Menu label={label} icon="more" items={useRowMenu(entry, () => setRenaming(true))} />
        </>
      )}
    </li>
  );
}

function useRowMenu(entry: SideEntry, rename: () => void): MenuItem[] {
  const { actions } = usePage();
  const say = useSay();
  return [
    { label: say(sideTexts.rename), icon: "pen", act: rename },
    {
      label: say(entry.isPinned ? sideTexts.unpin : sideTexts.pin),
      icon: "pin",
      act: () => actions.pin(entry, !entry.isPinned),
    },
    { label: say(sideTexts.saveMarkdown), icon: "down_to", act: () => actions.save(entry, "markdown") },
    { label: say(sideTexts.saveJson), icon: "down_to", act: () => actions.save(entry, "json") },
    { label: say(chatTexts.remove), icon: "trash", look: "danger", act: () => actions.remove(entry) },
  ];
}

interface RenameProps {
  readonly entry: SideEntry;
  close(): void;
}

function RenameField({ entry, close }: RenameProps) {
  const { actions } = usePage();
  const say = useSay();
  const field = useRef<HTMLInputElement>(null);
  const isLeft = useRef(false);
  useEffect(() => field.current?.select(), []);
  const leave = (isTaken: boolean): void => {
    // Taking the field away makes it lose the focus, which is no second answer.
    if (isLeft.current) return;
    isLeft.current = true;
    const title = field.current?.value.trim() ?? "";
    close();
    if (isTaken && title !== "" && title !== entry.title) actions.rename(entry, title);
  };
  return (
    <input
      ref={field}
      class="rename"
      type="text"
      maxLength={200}
      aria-label={say(sideTexts.newTitle)}
      defaultValue={entry.title}
      onBlur={() => leave(true)}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Enter") leave(true);
        if (event.key !== "Escape") return;
        event.stopPropagation();
        leave(false);
      }}
    />
  );
}

function Excerpt({ match: { excerpt, start, end } }: { readonly match: Match }) {
  return (
    <span class="excerpt" dir="auto">
      {toOneLine(excerpt.slice(0, start))}
      <mark>{toOneLine(excerpt.slice(start, end))}</mark>
      {toOneLine(excerpt.slice(end))}
    </span>
  );
}

/** The spaces at the ends of a piece are those between two words. */
function toOneLine(piece: string): string {
  return sanitize(piece).replace(/\s+/g, " ");
}

export function toShownTitle(title: string, locale: Locale): string {
  return sanitizeLine(title) || sayIn(locale, chatTexts.untitled);
}

/** Says which conversations were deleted, as long as they can be restored. */
export function RemovedToasts() {
  const { chat } = usePage();
  return (
    <div class="toast-place" role="status">
      {chat.value.removed.map((entry) => (
        <RemovedToast key={entry.id} entry={entry} />
      ))}
    </div>
  );
}

function RemovedToast({ entry }: { readonly entry: ConversationEntry }) {
  const { chat, locale, actions } = usePage();
  const say = useSay();
  const undoMs = getUndoMs(chat.value);
  useEffect(() => {
    const timer = setTimeout(() => actions.dismiss(entry), undoMs);
    return () => clearTimeout(timer);
  }, [entry, undoMs]);
  return (
    <div class="toast">
      <span>{say(sideTexts.deleted) + toShownTitle(entry.title, locale.value)}</span>
      <button type="button" onClick={() => actions.restore(entry)}>
        {say(sideTexts.undo)}
      </button>
      <button type="button" class="plain" aria-label={say(sideTexts.dismiss)} onClick={() => actions.dismiss(entry)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
