import { toConversationJson } from "../../core/store/conversation-json.ts";
import type { ConversationEntry, ConversationStore, RunEntry } from "../../core/store/store.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine, toSafeJson } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { joinSentences } from "../../render/event-lines.ts";
import { type Console, writeSafely } from "../console.ts";
import { nothingKept, renderEntry, renderTime } from "./conversation-lines.ts";

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
    console.stdout.write(`${toSafeJson({ conversations: page.map(toObject) }, 2)}\n`);
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

function toObject({ id, title, turns, createdAt, updatedAt }: ConversationEntry) {
  return { conversation_id: id, title, turns, created_at: createdAt, updated_at: updatedAt };
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

function reportUnknown({ isKept, console, locale }: ConversationsOptions, id: string): number {
  const shown = truncate(sanitizeLine(id), 100);
  const line = say(locale, { zh: `没有对话 ${shown}`, en: `there is no conversation ${shown}` });
  console.stderr.write(`duet: ${isKept ? line : joinSentences(line, say(locale, nothingKept))}\n`);
  return 1;
}
