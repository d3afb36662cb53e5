import type { Duet } from "../../app/duet.ts";
import type { Config } from "../../config/config.ts";
import { DuetError } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { Console } from "../console.ts";
import { nothingKept } from "./conversation-lines.ts";
import { findConversationId } from "./find-conversation.ts";

/**
 * Names the conversation to continue: the last one that began in a folder, or in any where none is named; or one by its ID or the
 * beginning of it.
 */
export type ConversationChoice = { folder: string | undefined } | { id: string };

/**
 * Returns the conversation to continue, or undefined for a new one. Throws a `config` error when there is no last one, and for the
 * beginning of several IDs.
 */
export async function findChosenConversation(
  choice: ConversationChoice | undefined,
  { duet, config }: { duet: Duet; config: Config },
): Promise<string | undefined> {
  if (choice === undefined) return undefined;
  const store = await duet.store();
  if ("id" in choice) return findConversationId(store, choice.id);
  const here = await store.latest(choice.folder);
  // Earlier versions did not store the folder.
  const latest = here ?? (choice.folder === undefined ? undefined : await store.latest(null));
  if (latest !== undefined) return latest;
  const isElsewhere = choice.folder !== undefined && (await store.latest()) !== undefined;
  throw isElsewhere ? elsewhereError(choice.folder ?? "") : missingConversationError(config);
}

/** Says with which conversation a chat goes on. */
export async function writeTitle(duet: Duet, id: string, { stderr }: Console): Promise<void> {
  const store = await duet.store();
  // Questions that came to nothing since then stand before it.
  const known = (await store.list({ limit: 100, offset: 0 })).find((entry) => entry.id === id);
  const title = truncate(sanitizeLine(known?.title || id), 100);
  stderr.write(`${say(duet.locale, { zh: `继续对话：${title}`, en: `Continuing: ${title}` })}\n`);
}

function missingConversationError({ conversations }: Config): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: "--continue: 还没有可以继续的对话",
      en: "--continue: there is no conversation to continue yet",
    },
    hint: conversations.store === "memory" ? nothingKept : undefined,
  });
}

function elsewhereError(folder: string): DuetError {
  const shown = sanitizeLine(folder);
  return new DuetError({
    code: "config",
    text: {
      zh: `--continue: 还没有在文件夹 ${shown} 中开始的对话`,
      en: `--continue: no conversation has begun in the folder ${shown}`,
    },
    hint: {
      zh: "-c --all 继续所有文件夹中最近的一个，duet resume --all 列出它们。",
      en: "-c --all continues the last one of all folders, and duet resume --all lists them.",
    },
  });
}
