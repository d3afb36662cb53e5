import type { Duet } from "../../app/duet.ts";
import type { Config } from "../../config/config.ts";
import { DuetError } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { Console } from "../console.ts";
import { nothingKept } from "./conversation-lines.ts";

/** Returns the conversation to continue, or undefined for a new one. Throws a `config` error when there is no last one. */
export async function findChosenConversation(
  choice: "latest" | { id: string } | undefined,
  { duet, config }: { duet: Duet; config: Config },
): Promise<string | undefined> {
  if (choice !== "latest") return choice?.id;
  const latest = await (await duet.store()).latest();
  if (latest === undefined) throw missingConversationError(config);
  return latest;
}

/** Says with which conversation a chat goes on. */
export async function writeTitle(duet: Duet, { stderr }: Console): Promise<void> {
  const store = await duet.store();
  const id = await store.latest();
  if (id === undefined) return;
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
