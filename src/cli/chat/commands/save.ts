import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toAbsolutePath } from "../../../config/sources/find-file.ts";
import { toModelName } from "../../../core/model.ts";
import { toConversationTitle } from "../../../core/store/conversation-title.ts";
import type { AgentTrace } from "../../../core/trace.ts";
import { DuetError, getMessage } from "../../../kit/errors.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { sanitize, sanitizeLine, toShortLine } from "../../../kit/text/sanitize.ts";
import { stopReasons } from "../../../render/event-lines.ts";
import { modeNames } from "../../../render/mode-names.ts";
import { renderTime } from "../../conversations/conversation-lines.ts";
import type { Chat } from "../chat.ts";
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

/** Renders a conversation as Markdown: each question with its answer, the answer's references, models and time. */
export function toConversationMarkdown(
  { id, runs }: { id: string; runs: readonly AgentTrace[] },
  { locale, now }: { locale: Locale; now: Date },
): string {
  const title = toShortLine(toConversationTitle(runs[0]?.question ?? "") || id, 100);
  const saved = renderTime(now.toISOString());
  const facts = say(locale, {
    zh: `- 对话：${id}\n- 保存于：${saved}\n- 模型：${listModels(runs).join("、")}`,
    en: `- Conversation: ${id}\n- Saved: ${saved}\n- Models: ${listModels(runs).join(", ")}`,
  });
  const turns = runs.map((run, index) => renderTurn(run, index + 1, locale));
  return sanitize(`${[`# ${title}`, facts, ...turns].join("\n\n")}\n`);
}

function renderTurn(run: AgentTrace, number: number, locale: Locale): string {
  const heading = `## ${number} · ${renderTime(run.started_at)}`;
  const question = `> ${run.question.trim().replaceAll("\n", "\n> ")}`;
  const by = `*${[listModels([run]).join(" → "), say(locale, modeNames[run.mode])].filter(Boolean).join(" · ")}*`;
  return [heading, question, by, run.final_answer.trim(), renderEnding(run, locale)].filter(Boolean).join("\n\n");
}

/** Explains why there is no answer, or only part of one. */
function renderEnding({ status, finish_reason, error }: AgentTrace, locale: Locale): string {
  if (status === "complete") return "";
  const reason = say(locale, stopReasons[finish_reason]);
  const why = error ? `${reason} · ${error.message}` : reason;
  return `*⚠ ${toShortLine(why, 300)}*`;
}

/** Returns the models that were called, each once, in their order. */
function listModels(runs: readonly AgentTrace[]): string[] {
  const bills = runs.flatMap(({ models }) => [
    models.function_call,
    models.answer,
    ...(models.compact ? [models.compact] : []),
  ]);
  return [...new Set(bills.filter(({ calls }) => calls > 0).map(toModelName))];
}
