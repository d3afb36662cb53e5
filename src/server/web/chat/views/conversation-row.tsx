import { type Locale, say as sayIn } from "../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { chatTexts, labelRemoval, sideTexts } from "../state/chat-texts.ts";
import type { SideEntry } from "../state/side-entries.ts";
import { Icon } from "./icon.tsx";
import { usePage, useSay } from "./page-model.ts";

export interface RowProps {
  readonly entry: SideEntry;
  remove(): void;
}

/** Shows a conversation of the list. */
export function ConversationRow({ entry, remove }: RowProps) {
  const { locale, drawer, actions } = usePage();
  const say = useSay();
  const { id, isCurrent, mark, updatedAt } = entry;
  const title = toShownTitle(entry.title, locale.value);
  return (
    <li class="conversation" data-current={isCurrent} data-mark={mark ?? ""}>
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
        <span class="facts">{mark === undefined ? renderDate(updatedAt, locale.value) : say(sideTexts[mark])}</span>
      </button>
      <button type="button" class="delete plain" aria-label={say(labelRemoval(title))} onClick={remove}>
        <Icon name="trash" />
      </button>
    </li>
  );
}

export function toShownTitle(title: string, locale: Locale): string {
  return sanitizeLine(title) || sayIn(locale, chatTexts.untitled);
}

function renderDate(time: string, locale: Locale): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  const format = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" } as const;
  return date.toLocaleString(locale === "zh" ? "zh-CN" : "en", format);
}
