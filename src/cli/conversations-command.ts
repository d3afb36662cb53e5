import type { ConversationEntry, ConversationStore } from "../app.ts";
import { cutText } from "../core/cut-text.ts";
import { type Locale, say } from "../core/locale.ts";
import { printableJson, printableLine } from "../core/printable.ts";
import { type Console, writeSafely } from "./console.ts";

export interface ConversationsOptions {
  store: ConversationStore;
  console: Pick<Console, "stdout" | "stderr">;
  locale: Locale;
  output: "text" | "json";
}

/** Lists conversations, the last asked first; a line on stderr says where the next page begins. */
export async function listConversations(
  { store, console, locale, output }: ConversationsOptions,
  { limit, offset }: { limit: number; offset: number },
): Promise<number> {
  const found = await store.list({ limit: limit + 1, offset });
  const page = found.slice(0, limit);
  if (output === "json") {
    console.stdout.write(`${printableJson({ conversations: page.map(toObject) }, 2)}\n`);
    return 0;
  }
  for (const entry of page) writeSafely(console.stdout, `${entryLine(entry, locale)}\n`);
  if (page.length === 0) tell({ zh: "没有对话。", en: "No conversations." });
  const next = offset + page.length;
  if (found.length > page.length) tell({ zh: `还有更多：--offset ${next}`, en: `There are more: --offset ${next}` });
  return 0;

  function tell(text: { zh: string; en: string }): void {
    console.stderr.write(`${say(locale, text)}\n`);
  }
}

function toObject({ id, title, turns, createdAt, updatedAt }: ConversationEntry) {
  return { conversation_id: id, title, turns, created_at: createdAt, updated_at: updatedAt };
}

function entryLine({ id, title, turns, updatedAt }: ConversationEntry, locale: Locale): string {
  const count = say(locale, { zh: `${turns} 轮`, en: turns === 1 ? "1 turn" : `${turns} turns` });
  const time = updatedAt.replace("T", " ").replace(/\.\d+Z$/, "Z");
  return [printableLine(id), time, count, cutText(printableLine(title), 100)].join("  ");
}

/** Shows what was asked and answered, oldest first, and the sources that the answers cite. 1 when there is none of that id. */
export async function showConversation(options: ConversationsOptions, id: string): Promise<number> {
  const { store, console, output } = options;
  const conversation = await store.load(id);
  if (conversation === undefined) return unknown(options, id);
  const { turns, summary } = conversation;
  const sources = conversation.sources.all();
  if (output === "json") {
    const cited = sources.map(({ n, source: { title, url } }) => ({ n, title, url }));
    const whole = { conversation_id: id, turns, summary: summary ?? null, sources: cited };
    console.stdout.write(`${printableJson(whole, 2)}\n`);
    return 0;
  }
  const write = (text: string): void => writeSafely(console.stdout, `${text}\n`);
  for (const { question, answer } of turns) write(`> ${question.replaceAll("\n", "\n> ")}\n\n${answer}\n`);
  for (const { n, source } of sources) write(`[${n}] ${printableLine(source.title)} ${printableLine(source.url)}`);
  return 0;
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
  if (output === "json") console.stdout.write(`${printableJson({ deleted, unknown: missing }, 2)}\n`);
  else
    for (const id of deleted.map(printableLine))
      console.stdout.write(`${say(locale, { zh: `已删除 ${id}`, en: `Deleted ${id}` })}\n`);
  for (const id of missing) unknown(options, id);
  return missing.length === 0 ? 0 : 1;
}

function unknown({ console, locale }: ConversationsOptions, id: string): number {
  const shown = cutText(printableLine(id), 100);
  console.stderr.write(`duet: ${say(locale, { zh: `没有对话 ${shown}`, en: `there is no conversation ${shown}` })}\n`);
  return 1;
}
