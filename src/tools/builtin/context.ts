import { basename } from "node:path";
import type { RunFacts, Tool } from "../../core/tools/tool.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { askTimeZone } from "../../kit/time-zone.ts";
import { version } from "../../kit/version.ts";
import { createBuiltinTool, createSuccess } from "../create-tool.ts";
import { resolveRoots } from "../files/allowed-path.ts";
import { renderTime } from "./current-time.ts";

/**
 * Describes the environment that a model may need to know about, without environment variables or user names. `now` is
 * milliseconds since 1970.
 */
export function createContext(roots: readonly string[], locale: Locale, now: () => number): Tool {
  return createBuiltinTool({
    name: "context",
    description: say(locale, {
      zh: "查看当前时间、语言、可读目录、可用工具和剩余限额",
      en: "Returns the time, language, readable directories, available tools and remaining limits.",
    }),
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    async run(_, context) {
      const zone = askTimeZone();
      const [time = ""] = renderTime(now(), zone, context.locale).split("\n");
      const lines = [
        say(context.locale, { zh: `时间：${time}`, en: `Time: ${time}` }),
        say(context.locale, { zh: "语言：中文 (zh)", en: "Language: English (en)" }),
        describeRoots(await resolveRoots(roots), context.locale),
        ...describeFacts(context.facts?.(), context.locale),
        say(context.locale, { zh: `程序：Duet ${version}`, en: `Program: Duet ${version}` }),
      ];
      return createSuccess(lines.join("\n"));
    },
  });
}

/** Shows one directory by its last name, since paths are relative to it. Several directories are shown as in the file tools. */
function describeRoots(roots: readonly string[], locale: Locale): string {
  const [only] = roots;
  if (only === undefined) return say(locale, { zh: "可读目录：无", en: "Readable directories: none" });
  if (roots.length === 1) {
    const name = sanitizeLine(basename(only)) || "/";
    return say(locale, {
      zh: `可读目录：${name}（路径相对于它）`,
      en: `Readable directory: ${name} (paths are relative to it)`,
    });
  }
  const list = roots.map(sanitizeLine);
  return say(locale, { zh: `可读目录：${list.join("、")}`, en: `Readable directories: ${list.join(", ")}` });
}

function describeFacts(facts: RunFacts | undefined, locale: Locale): string[] {
  if (facts === undefined) return [];
  const { tools, toolCallsLeft, maxToolCalls, maxIterations, leftMs, tokensLeft } = facts;
  const seconds = Math.floor(leftMs / 1000);
  return [
    say(locale, { zh: `工具：${tools.join("、")}`, en: `Tools: ${tools.join(", ")}` }),
    say(locale, {
      zh: `剩余：工具调用 ${toolCallsLeft} 次（共 ${maxToolCalls}），时间 ${seconds} 秒，约 ${tokensLeft} token；最多 ${maxIterations} 轮`,
      en: `Left: ${toolCallsLeft} of ${maxToolCalls} tool calls, ${seconds} s, about ${tokensLeft} tokens; at most ${maxIterations} rounds`,
    }),
  ];
}
