import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toAbsolutePath } from "../../../config/sources/find-file.ts";
import type { AgentTrace } from "../../../core/trace.ts";
import { DuetError, getMessage } from "../../../kit/errors.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import type { Chat } from "../chat-state.ts";
import type { ChatCommand } from "./chat-command.ts";

export const save: ChatCommand = {
  name: "/save",
  argument: "[FILE]",
  help: { zh: "把对话保存为 Markdown 文件", en: "saves the conversation as a Markdown file" },
  async run(chat, argument, signal) {
    const { conversationId, settings } = chat;
    const { locale } = settings;
    const runs = await loadTraces(chat, signal);
    if (conversationId === undefined || runs.length === 0) {
      chat.write(say(locale, { zh: "还没有可以保存的对话。", en: "There is no conversation to save yet." }));
      return undefined;
    }
    const { toConversationMarkdown } = await import("../conversation-markdown.ts");
    const now = new Date();
    const file = await resolveFile(argument, now, chat);
    const text = toConversationMarkdown({ id: conversationId, runs }, { locale, now });
    await writeNew(file, text, signal);
    chat.write(say(locale, { zh: `已保存到 ${sanitizeLine(file)}`, en: `Saved as ${sanitizeLine(file)}` }));
    return undefined;
  },
};

async function loadTraces({ duet, conversationId }: Chat, signal: AbortSignal): Promise<AgentTrace[]> {
  if (conversationId === undefined) return [];
  const store = await duet.store();
  const traces: AgentTrace[] = [];
  for (const { id } of await store.runs({ conversationId })) {
    signal.throwIfAborted();
    const trace = await store.trace(id);
    if (trace) traces.push(trace);
  }
  return traces;
}

/** Returns the file to write. For an existing folder it is a file in it with a generated name. */
async function resolveFile(argument: string, now: Date, { config }: Chat): Promise<string> {
  const directory = process.cwd();
  if (argument === "") return join(directory, createFileName(now));
  const written = argument.replace(/^(["'])(.*)\1$/, "$2");
  const file = toAbsolutePath(written, directory, config.environment);
  const isFolder = await stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? join(file, createFileName(now)) : file;
}

/** Returns a name from the local time: `duet-20260131-235959.md`. */
function createFileName(now: Date): string {
  const padToTwo = (part: number): string => String(part).padStart(2, "0");
  const day = `${now.getFullYear()}${padToTwo(now.getMonth() + 1)}${padToTwo(now.getDate())}`;
  return `duet-${day}-${padToTwo(now.getHours())}${padToTwo(now.getMinutes())}${padToTwo(now.getSeconds())}.md`;
}

/** Throws one line that names the file where it is there already or cannot be written. */
async function writeNew(file: string, text: string, signal: AbortSignal): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx", signal });
  } catch (thrown) {
    signal.throwIfAborted();
    const why = describeReason(thrown);
    throw new DuetError({
      code: "invalid_request",
      text: { zh: `${file} ${why.zh}`, en: `${file} ${why.en}` },
      hint: { zh: "换一个文件：/save FILE", en: "Choose another file: /save FILE" },
      cause: thrown,
    });
  }
}

function describeReason(thrown: unknown): Text {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : getMessage(thrown);
  if (code === "EEXIST") return { zh: "已存在，不会覆盖", en: "already exists and is not overwritten" };
  if (code === "ENOENT") return { zh: "所在的目录不存在", en: "is in a folder that does not exist" };
  return { zh: `无法写入（${code}）`, en: `cannot be written (${code})` };
}
