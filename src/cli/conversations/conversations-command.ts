import { toConversationJson, toEntryJson } from "../../core/store/conversations/conversation-json.ts";
import { longestTitle } from "../../core/store/conversations/conversation-title.ts";
import type { RunEntry } from "../../core/store/conversations/entries.ts";
import type { ConversationChanges, ConversationStore } from "../../core/store/store.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine, toSafeJson } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { joinSentences } from "../../render/event-lines.ts";
import { renderTime } from "../../render/render-time.ts";
import { type Console, writeSafely } from "../console.ts";
import { nothingKept, renderEntry } from "./conversation-lines.ts";

export interface ConversationsOptions {
  store: ConversationStore;
  /** Is true when conversations are kept after the program exits. */
  isKept: boolean;
  console: Pick<Console, "stdout" | "stderr">;
  locale: Locale;
  output: "text" | "json";
}

/** Lists conversations, the last asked first; a line on stderr says where the next page begins. */
export async function listConversations(
  { store, isKept, console, locale, output }: ConversationsOptions,
  { limit, offset }: { limit: number; offset: number },
): Promise<number> {
  const found = await store.list({ limit: limit + 1, offset });
  const page = found.slice(0, limit);
  if (!isKept) writeText(nothingKept);
  if (output === "json") {
    console.stdout.write(`${toSafeJson({ conversations: page.map(toEntryJson) }, 2)}\n`);
    return 0;
  }
  for (const entry of page) writeSafely(console.stdout, `${renderEntry(entry, locale)}\n`);
  if (page.length === 0 && offset === 0 && isKept) writeText({ zh: "没有对话。", en: "No conversations." });
  if (page.length === 0 && offset > 0)
    writeText({ zh: `第 ${offset} 个之后没有对话。`, en: `No conversations beyond the first ${offset}.` });
  const next = offset + page.length;
  if (found.length > page.length)
    writeText({ zh: `还有更多：--offset ${next}`, en: `There are more: --offset ${next}` });
  return 0;

  function writeText(text: Text): void {
    console.stderr.write(`${say(locale, text)}\n`);
  }
}

/** Shows what was asked and answered, oldest first, the sources that the answers cite, and the runs, also the failed ones. 1 when there is none of that id. */
export async function showConversation(options: ConversationsOptions, id: string): Promise<number> {
  const { store, console, locale, output } = options;
  const conversation = await store.load(id);
  if (conversation === undefined) return reportUnknown(options, id);
  const { turns } = conversation;
  const sources = conversation.sources.all();
  const runs = await store.runs({ conversationId: id });
  if (output === "json") {
    console.stdout.write(`${toSafeJson(toConversationJson(conversation, runs), 2)}\n`);
    return 0;
  }
  const write = (text: string): void => writeSafely(console.stdout, `${text}\n`);
  if (turns.length === 0) write(say(locale, { zh: "这个对话还没有问答。", en: "This conversation has no turns yet." }));
  for (const { question, answer } of turns) write(`> ${question.replaceAll("\n", "\n> ")}\n\n${answer}\n`);
  for (const { n, source } of sources) write(`[${n}] ${sanitizeLine(source.title)} ${sanitizeLine(source.url)}`);
  if (runs.length > 0) write(say(locale, { zh: "运行（duet trace 编号）：", en: "Runs (duet trace ID):" }));
  for (const run of runs) write(runLine(run));
  return 0;
}

function runLine({ id, question, status, startedAt }: RunEntry): string {
  return [id, renderTime(startedAt), status, truncate(sanitizeLine(question), 100)].join("  ");
}

/** Removes conversations with their sources and traces. 1 when one of them was not there; the others are removed. */
export async function deleteConversations(options: ConversationsOptions, ids: readonly string[]): Promise<number> {
  const { store, console, locale, output } = options;
  const deleted: string[] = [];
  const missing: string[] = [];
  for (const id of new Set(ids)) {
    const list = (await store.remove(id)) ? deleted : missing;
    list.push(id);
  }
  if (output === "json") console.stdout.write(`${toSafeJson({ deleted, unknown: missing }, 2)}\n`);
  else
    for (const id of deleted.map(sanitizeLine))
      console.stdout.write(`${say(locale, { zh: `已删除 ${id}`, en: `Deleted ${id}` })}\n`);
  for (const id of missing) reportUnknown(options, id);
  return missing.length === 0 ? 0 : 1;
}

/** Pins conversations, or takes the pins away. A pinned one is never removed unasked. 1 when one of them was not there. */
export async function pinConversations(
  options: ConversationsOptions,
  { ids, isPinned }: { ids: readonly string[]; isPinned: boolean },
): Promise<number> {
  const done: Text = isPinned ? { zh: "已置顶", en: "Pinned" } : { zh: "已取消置顶", en: "Unpinned" };
  return changeConversations(options, { ids, changes: { isPinned }, done, key: isPinned ? "pinned" : "unpinned" });
}

/**
 * Gives a conversation a name, or takes it back where the name is empty. A named one is never removed unasked. 1 when there is no
 * such conversation. Throws a `config` error for a name that is no line.
 */
export async function renameConversation(
  options: ConversationsOptions,
  { id, name }: { id: string; name: string },
): Promise<number> {
  const line = name.trim();
  if (line.length > longestTitle || sanitizeLine(line) !== line || /[\r\n]/.test(line)) throw invalidNameError(name);
  const done: Text = line === "" ? { zh: "已取消命名", en: "Unnamed" } : { zh: "已命名", en: "Named" };
  return changeConversations(options, {
    ids: [id],
    changes: { name: line },
    done,
    key: line === "" ? "unnamed" : "named",
  });
}

function invalidNameError(name: string): DuetError {
  const shown = JSON.stringify(truncate(name, 60));
  return new DuetError({
    code: "config",
    text: {
      zh: `名称 ${shown} 不可用（允许：一行文字，最多 ${longestTitle} 个字符；"" 表示取消命名）`,
      en: `the name ${shown} is not allowed (allowed: one line of at most ${longestTitle} characters; "" takes the name back)`,
    },
  });
}

interface ConversationChange {
  ids: readonly string[];
  changes: ConversationChanges;
  /** Says what was done, before the ID. */
  done: Text;
  /** Holds the IDs in the JSON output. */
  key: string;
}

async function changeConversations(
  options: ConversationsOptions,
  { ids, changes, done, key }: ConversationChange,
): Promise<number> {
  const { store, console, locale, output } = options;
  const changed: string[] = [];
  const missing: string[] = [];
  for (const id of new Set(ids)) {
    const list = (await store.change?.(id, changes)) ? changed : missing;
    list.push(id);
  }
  if (output === "json") console.stdout.write(`${toSafeJson({ [key]: changed, unknown: missing }, 2)}\n`);
  else for (const id of changed.map(sanitizeLine)) console.stdout.write(`${say(locale, done)} ${id}\n`);
  for (const id of missing) reportUnknown(options, id);
  return missing.length === 0 ? 0 : 1;
}

function reportUnknown({ isKept, console, locale }: ConversationsOptions, id: string): number {
  const shown = truncate(sanitizeLine(id), 100);
  const line = say(locale, { zh: `没有对话 ${shown}`, en: `there is no conversation ${shown}` });
  console.stderr.write(`duet: ${isKept ? line : joinSentences(line, say(locale, nothingKept))}\n`);
  return 1;
}
