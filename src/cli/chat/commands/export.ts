import { stat, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { toAbsolutePath } from "../../../config/sources/find-file.ts";
import { DuetError, getMessage } from "../../../kit/errors.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import type { ExportedConversation } from "../../../render/export/exported-conversation.ts";
import type { ExportOptions } from "../../../render/export/to-markdown.ts";
import type { Chat } from "../chat.ts";
import type { ChatCommand } from "./chat-command.ts";

const formats = ["md", "html", "json"] as const;
type Format = (typeof formats)[number];

type RenderExport = (exported: ExportedConversation, options: ExportOptions) => string;

const renderers: Readonly<Record<Format, () => Promise<RenderExport>>> = {
  md: async () => (await import("../../../render/export/to-markdown.ts")).toConversationMarkdown,
  html: async () => (await import("../../../render/export/to-html.ts")).toConversationHtml,
  json: async () => (await import("../../../render/export/to-json.ts")).toConversationJsonText,
};

export const exportConversation: ChatCommand = {
  name: "/export",
  aliases: ["/save"],
  argument: "[md|html|json] [FILE]",
  help: {
    zh: "把对话连同步骤写成 Markdown、HTML 或 JSON 文件，不覆盖已有文件",
    en: "writes the conversation with its steps as Markdown, HTML or JSON, never over a file",
  },
  complete: async () => formats.map((text) => ({ text })),
  async run(chat, argument, signal) {
    const { duet, conversation, settings } = chat;
    const { id, branch } = conversation;
    const { locale } = settings;
    const { loadExported } = await import("../../../render/export/exported-conversation.ts");
    const exported = id === undefined ? undefined : await loadExported(await duet.store(), { id, branch, signal });
    if (exported === undefined) {
      chat.write(say(locale, { zh: "还没有可以保存的对话。", en: "There is no conversation to save yet." }));
      return undefined;
    }
    const now = new Date();
    const { format, file } = await resolveFile(argument, now, chat);
    const render = await renderers[format]();
    await writeNew(file, render(exported, { locale, now }), signal);
    chat.write(say(locale, { zh: `已保存到 ${sanitizeLine(file)}`, en: `Saved as ${sanitizeLine(file)}` }));
    return undefined;
  },
};

/**
 * Returns the file to write with its form: the one that is named first, else that of the file's ending, else Markdown. For an existing
 * folder it is a file in it with a generated name.
 */
async function resolveFile(
  argument: string,
  now: Date,
  { config, folder }: Chat,
): Promise<{ format: Format; file: string }> {
  const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(argument) ?? [];
  const named = formats.find((format) => format === word.toLowerCase());
  const written = (named === undefined ? argument : rest).replace(/^(["'])(.*)\1$/, "$2");
  const file = written === "" ? folder : toAbsolutePath(written, folder, config.environment);
  const isFolder = await stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const ending = isFolder ? "" : extname(file).slice(1).toLowerCase();
  const format = named ?? formats.find((each) => each === ending || (each === "html" && ending === "htm")) ?? "md";
  return { format, file: isFolder ? join(file, createFileName(now, format)) : file };
}

/** Returns a name from the local time: `duet-20260131-235959.md`. */
function createFileName(now: Date, format: Format): string {
  const padToTwo = (part: number): string => String(part).padStart(2, "0");
  const day = `${now.getFullYear()}${padToTwo(now.getMonth() + 1)}${padToTwo(now.getDate())}`;
  return `duet-${day}-${padToTwo(now.getHours())}${padToTwo(now.getMinutes())}${padToTwo(now.getSeconds())}.${format}`;
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
      hint: { zh: "换一个文件：/export FILE", en: "Choose another file: /export FILE" },
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
