import type { ExpiredConversation, Retention } from "../../core/store/retention.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { formatCount, formatSize } from "../../kit/text/format-count.ts";
import { sanitizeLine, toSafeJson, toShortLine } from "../../kit/text/sanitize.ts";
import { renderTime } from "../../render/render-time.ts";
import { type Console, writeSafely } from "../console.ts";

export interface PruneOptions {
  retention: Retention;
  console: Pick<Console, "stdout">;
  locale: Locale;
  output: "text" | "json";
  /** Is true when nothing is to be removed. */
  isDryRun: boolean;
  signal: AbortSignal;
}

/** Removes what is older or more than the settings allow, or lists it. */
export async function pruneConversations(options: PruneOptions): Promise<number> {
  const { retention, console, locale, output, isDryRun, signal } = options;
  const expired = await retention.listExpired();
  const before = await retention.measure();
  const removed = isDryRun ? 0 : await retention.prune(signal);
  const after = isDryRun ? before : await retention.measure();
  if (output === "json") {
    const sizes = { bytes_before: before, bytes: after };
    const { keepDays, maxSize } = retention.limits;
    const limits = { keep_days: keepDays, max_size: maxSize };
    const list = expired.map(toJson);
    console.stdout.write(`${toSafeJson({ dry_run: isDryRun, removed, ...sizes, limits, conversations: list }, 2)}\n`);
    return 0;
  }
  if (isDryRun) for (const each of expired) writeSafely(console.stdout, `${renderExpired(each, locale)}\n`);
  const line = isDryRun ? describePlan(expired.length, before) : describeResult(removed, after);
  console.stdout.write(`${say(locale, line)}\n`);
  return 0;
}

function toJson({ id, owner, title, updatedAt, bytes, reason }: ExpiredConversation) {
  return { conversation_id: id, caller: owner ?? null, title, updated_at: updatedAt, bytes, reason };
}

function renderExpired({ id, owner, title, updatedAt, bytes, reason }: ExpiredConversation, locale: Locale): string {
  const why = reason === "age" ? "store.keepDays" : "store.maxSize";
  const whose = owner === undefined ? [] : [say(locale, { zh: `调用方 ${owner}`, en: `caller ${owner}` })];
  const words = [id, renderTime(updatedAt), formatSize(bytes), why, ...whose];
  return [...words.map(sanitizeLine), toShortLine(title, 100)].join("  ");
}

function describePlan(count: number, bytes: number): Text {
  const size = formatSize(bytes);
  return {
    zh: `将删除 ${count} 个对话；目前保存的内容占 ${size}。未做任何更改。`,
    en: `${formatCount(count, "conversation")} would be removed; ${size} are stored. Nothing was changed.`,
  };
}

function describeResult(count: number, bytes: number): Text {
  const size = formatSize(bytes);
  return {
    zh: `已删除 ${count} 个对话；目前保存的内容占 ${size}。`,
    en: `Removed ${formatCount(count, "conversation")}; ${size} are stored.`,
  };
}
