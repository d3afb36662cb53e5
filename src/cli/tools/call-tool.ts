import { parseJson } from "../../config/sources/parse-json.ts";
import { createElicit } from "../../core/questions/user.ts";
import type { Tool } from "../../core/tools/tool.ts";
import { DuetError } from "../../kit/errors.ts";
import { isRecord, type JsonObject } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { sanitizeLine, toSafeJson } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { renderProgress } from "../../render/event-lines.ts";
import { readQuestion } from "../ask.ts";
import { writeSafely } from "../console.ts";
import { createTerminalUser, limitThinkingTime } from "../questions/ask-question.ts";
import { createQuietScreen } from "../questions/quiet-screen.ts";
import { canBeAsked, openTerminalQuestions } from "../questions/reader.ts";
import type { ToolsOptions } from "./list-tools.ts";

/** Calls one tool by hand; its result goes to stdout. 0 if it succeeded, 1 if not. */
export async function callTool(options: ToolsOptions, name: string, argumentsText: string): Promise<number> {
  const { duet, console, output, signal } = options;
  const args = await readArguments(argumentsText, console);
  const { tools, servers } = await duet.inventory(signal);
  const tool = tools.find((known) => known.name === name);
  if (!tool) {
    const isWaiting = (await duet.servers.listWaitingTools(signal)).some((change) => change.name === name);
    if (isWaiting) throw unapprovedToolError(name);
    const server = servers.find((each) => name.startsWith(`${each.name}__`));
    if (server?.error) throw server.error;
    throw server === undefined || server.state === "ready" ? unknownToolError(name, tools) : startingError(server.name);
  }
  const { locale } = duet;
  const questions = canBeAsked(console) ? openTerminalQuestions(console) : undefined;
  const screen = questions && createQuietScreen(questions.ask);
  const write = (line: string): void => writeSafely(console.stderr, `${line}\n`);
  const writeNote = (line: string): void => void Promise.resolve(screen?.free()).then(() => write(line));
  const user = screen && limitThinkingTime(createTerminalUser({ locale, ask: screen.ask, write, showsEvents: false }));
  const running = tool.run(args, {
    signal,
    locale,
    // Whoever calls it by hand has agreed to the call.
    approve: async () => "once",
    elicit: createElicit(user, signal),
    progress: (message, progress, total) => {
      const line = sanitizeLine(renderProgress({ message, progress, total }));
      if (line !== "") writeNote(`… ${line}`);
    },
    notice: (_, message) => writeNote(`ℹ ${sanitizeLine(say(locale, message))}`),
  });
  const result = await running.finally(() => questions?.close());
  await screen?.free();
  if (output === "json") console.stdout.write(`${toSafeJson(result, 2)}\n`);
  else writeSafely(result.ok ? console.stdout : console.stderr, `${result.text}\n`);
  return result.ok ? 0 : 1;
}

/** Reads the arguments, from stdin where they are `-`. A fault in them is told with its line and column. */
async function readArguments(argument: string, console: ToolsOptions["console"]): Promise<JsonObject> {
  // The parser makes an empty text of a lone dash.
  const isPiped = argument === "-" || argument === "";
  const text = isPiped ? await readQuestion("-", console) : argument;
  const value = text === "" ? undefined : await parseJson(text, isPiped ? "stdin" : "JSON", true);
  if (!isRecord(value)) throw invalidArgumentsError(text);
  return value as JsonObject;
}

function invalidArgumentsError(text: string): DuetError {
  const shown = text === "" ? '""' : truncate(sanitizeLine(text), 100);
  return new DuetError({
    code: "config",
    text: {
      zh: `JSON: 不能是 ${shown}（允许：JSON 对象，如 {"text":"hi"}）`,
      en: `JSON: ${shown} is not allowed (allowed: a JSON object, such as {"text":"hi"})`,
    },
  });
}

/** Limits the tool names listed in the error about an unknown tool. */
const mostNames = 15;
const none: Text = { zh: "", en: "" };

function unapprovedToolError(name: string): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `工具 ${name} 是新的或有变化，批准后才能使用：duet tools approve ${name}`,
      en: `the tool ${name} is new or has changed, and can be used once it is approved: duet tools approve ${name}`,
    },
  });
}

function startingError(name: string): DuetError {
  return new DuetError({
    code: "network",
    text: {
      zh: `MCP 服务器 ${name} 尚未就绪，请稍后再试（duet tools 查看状态）`,
      en: `the MCP server ${name} is not ready yet; try again later (duet tools shows its state)`,
    },
  });
}

function unknownToolError(name: string, tools: readonly Tool[]): DuetError {
  const shown = sanitizeLine(truncate(name, 100));
  const alike = tools.map((tool) => tool.name).filter((each) => each.includes(name));
  const names = (alike.length > 0 ? alike : tools.map((tool) => tool.name)).slice(0, mostNames).join(", ");
  const more =
    alike.length === 0 && tools.length > mostNames ? { zh: " …（见 duet tools）", en: " … (see duet tools)" } : none;
  return new DuetError({
    code: "config",
    text: {
      zh: `没有名为 ${shown} 的工具；有：${names}${more.zh}`,
      en: `there is no tool named ${shown}; available: ${names}${more.en}`,
    },
  });
}
