import { basename } from "node:path";
import { createFailure, type ToolResult } from "../../core/tools/tool.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { truncateMiddle } from "../../kit/text/truncate-middle.ts";
import type { ScriptRun } from "./run-script.ts";

/** Characters of a script's output that are kept, head and tail. */
const mostCharacters = 200_000;

/** What a model reads of a script that is over: how it ended, unless well, and what it wrote. */
export function toScriptResult(
  script: string,
  command: string,
  { ending, output, errors, stopped }: ScriptRun,
  { timeoutMs, locale }: { timeoutMs: number; locale: Locale },
): ToolResult {
  const { code, signal, error } = ending;
  if (error !== undefined) return createFailure("tool", say(locale, notStarted(script, command, error)));
  const written = [shorten(output, locale), errors && `stderr:\n${errors}`].filter((part) => part !== "");
  if (code === 0 && stopped === undefined) return { ok: true, text: written.join("\n\n") || say(locale, silent) };
  const how = say(locale, stopped === undefined ? ended(script, code ?? signal) : endings[stopped](script, timeoutMs));
  const text = [how, ...written].join("\n\n");
  return { ok: false, text, error: { code: stopped === "time" ? "timeout" : "tool", message: how } };
}

function shorten(output: string, locale: Locale): string {
  return truncateMiddle(output, mostCharacters, (missing) =>
    say(locale, { zh: `…[省略 ${missing} 个字符]…`, en: `…[${formatCount(missing, "character")} left out]…` }),
  );
}

function ended(script: string, how: number | string | null): Text {
  return { zh: `${script} 以 ${how} 结束（失败）。`, en: `${script} failed: it ended with ${how}.` };
}

const endings: Record<"time" | "output", (script: string, timeoutMs: number) => Text> = {
  time: (script, timeoutMs) => ({
    zh: `${script} 超时（${timeoutMs / 1000} 秒），已被终止。`,
    en: `${script} did not end within ${timeoutMs / 1000} s and was stopped.`,
  }),
  output: (script) => ({
    zh: `${script} 的输出过多，已被终止。`,
    en: `${script} wrote too much and was stopped.`,
  }),
};

function notStarted(script: string, command: string, error: Error): Text {
  const program = basename(command);
  return {
    zh: `${script} 无法启动：${program}：${error.message}`,
    en: `${script} could not be started: ${program}: ${error.message}`,
  };
}

const silent: Text = { zh: "（成功结束，没有输出）", en: "(it ended well and wrote nothing)" };
