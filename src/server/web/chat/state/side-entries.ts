import { toConversationTitle } from "../../../../core/store/conversations/conversation-title.ts";
import type { Text } from "../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import type { ConversationEntry } from "../api/conversation.ts";
import { type ChatState, isUnsettled, type Turn } from "./chat-state.ts";
import { sideTexts } from "./chat-texts.ts";

export interface SideEntry extends ConversationEntry {
  readonly key: string;
  readonly isCurrent: boolean;
  /** Marks a conversation that has an active run, or one whose run waits for a person. */
  readonly mark: "running" | "waits" | undefined;
}

/** Lists the kept conversations, preceded by those whose first run is still active. */
export function toSideEntries(chat: ChatState): SideEntry[] {
  const { conversations, conversationId } = chat;
  const going = findActiveRuns(chat);
  const kept = new Set(conversations.map(({ id }) => id));
  const begun = [...going.values()].filter(({ id }) => !kept.has(id));
  return [...begun, ...conversations].map((entry) => {
    const title =
      entry.title || toConversationTitle(going.get(entry.id)?.question ?? findFirstQuestion(chat, entry.id));
    const { id } = entry;
    return { ...entry, key: id, title, isCurrent: id === conversationId, mark: going.get(id)?.mark };
  });
}

/** Lists what was found, as it was found. */
export function toSearchEntries({ search, conversationId }: ChatState): SideEntry[] {
  const found = search?.entries ?? [];
  return found.map((entry) => ({ ...entry, key: entry.id, isCurrent: entry.id === conversationId, mark: undefined }));
}

export interface SideGroup {
  readonly name: Text;
  readonly entries: readonly SideEntry[];
}

const dayMs = 86_400_000;

/** Groups the list by when something was said last; what is pinned stands first. `now` is in milliseconds. */
export function groupEntries(entries: readonly SideEntry[], now: number): SideGroup[] {
  const today = new Date(now).setHours(0, 0, 0, 0);
  // What goes on has no time yet.
  const measureAge = ({ updatedAt }: SideEntry): number => today - (updatedAt === "" ? now : Date.parse(updatedAt));
  const isOf: readonly [name: Text, has: (entry: SideEntry) => boolean][] = [
    [sideTexts.pinned, ({ isPinned }) => isPinned],
    [sideTexts.today, (entry) => measureAge(entry) <= 0],
    [sideTexts.yesterday, (entry) => measureAge(entry) <= dayMs],
    [sideTexts.week, (entry) => measureAge(entry) <= 7 * dayMs],
    [sideTexts.month, (entry) => measureAge(entry) <= 30 * dayMs],
    [sideTexts.older, () => true],
  ];
  const placed = Map.groupBy(entries, (entry) => isOf.findIndex(([, has]) => has(entry)));
  return isOf.map(([name], index) => ({ name, entries: placed.get(index) ?? [] }));
}

/** Counts the conversations that wait for a person. */
function countWaiting(chat: ChatState): number {
  return [...findActiveRuns(chat).values()].filter(({ mark }) => mark === "waits").length;
}

/** Returns true when a run is active that this page does not follow, so that no event will report its end. */
export function hasUnfollowed({ running, turns }: ChatState): boolean {
  const followed = new Set(Object.values(turns).map(({ run }) => run.runId));
  return running.some(({ id }) => !followed.has(id));
}

interface ActiveEntry extends ConversationEntry {
  readonly question: string;
  readonly mark: SideEntry["mark"];
}

/** Maps each conversation to its active run: from this page where it follows the run, else from the server's list. */
function findActiveRuns({ running, turns }: ChatState): Map<string, ActiveEntry> {
  const all = Object.values(turns);
  const known = new Set(all.map(({ run }) => run.runId));
  const listed = running
    .filter(({ id }) => !known.has(id))
    .map((run): ActiveEntry => {
      const { conversationId: id, question, startedAt: updatedAt, waits } = run;
      return { id, title: "", updatedAt, isPinned: false, question, mark: waits ? "waits" : "running" };
    });
  const own = all.filter(isUnsettled).map(toActiveEntry);
  const going = new Map<string, ActiveEntry>();
  for (const entry of [...listed, ...own]) {
    if (entry.id === "" || going.get(entry.id)?.mark === "waits") continue;
    going.set(entry.id, entry);
  }
  return going;
}

function toActiveEntry({ conversationId: id = "", run, question, isGone }: Turn): ActiveEntry {
  const mark = isGone ? undefined : question === undefined ? "running" : "waits";
  return { id, title: "", updatedAt: "", isPinned: false, question: run.question, mark };
}

/** Until its first run has ended, a conversation has no title. */
function findFirstQuestion({ turns }: ChatState, id: string): string {
  return Object.values(turns).find(({ conversationId }) => conversationId === id)?.run.question ?? "";
}

/** Returns the title of the shown conversation, or an empty string for a new one. */
export function getTalkTitle({ conversationId, conversations, items, turns }: ChatState): string {
  const [first] = items.flatMap((item) => (item.kind === "turn" ? (turns[item.key] ?? []) : []));
  const kept = conversations.find(({ id }) => id === conversationId);
  return sanitizeLine(kept?.title || toConversationTitle(first?.run.question ?? ""));
}

/** Returns the title of the tab: the number of conversations that wait for a person, then the conversation's title. */
export function getTabTitle(chat: ChatState): string {
  const waiting = countWaiting(chat);
  const name = [getTalkTitle(chat), "Duet"].filter(Boolean).join(" · ");
  return waiting === 0 ? name : `(${waiting}) ${name}`;
}
