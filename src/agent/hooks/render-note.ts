import type { ToolResult } from "../../core/tools/tool.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { fence } from "../context/fence.ts";

/**
 * Returns what hooks and the check of its output schema add to a result, for behind the result. It may hold what a hook has read
 * somewhere, or a server's own names, so it is fenced as the result is. A call whose arguments a hook has changed says so: the model
 * reads its own in the history.
 */
export function renderNote({ note, misfit, arguments: changed }: ToolResult, marker: string, locale: Locale): string {
  const lines = [
    ...(changed === undefined ? [] : [`${say(locale, changedTitle)} ${fence(JSON.stringify(changed), marker)}`]),
    ...(misfit === undefined ? [] : [`${say(locale, misfitTitle)}\n${fence(misfit, marker)}`]),
    ...(note === undefined ? [] : [`${say(locale, noteTitle)}\n${fence(note, marker)}`]),
  ];
  return lines.map((line) => `\n${line}`).join("");
}

const changedTitle: Text = {
  zh: "用户的钩子修改了参数，实际使用的是：",
  en: "A hook of the user changed the arguments; the call was made with:",
};
const misfitTitle: Text = {
  zh: "这是工具的服务器的缺陷：不要为此重复调用，使用结果中的值时请留意。",
  en: "The tool's server has a bug: do not repeat the call because of it, and take care with the values of the result.",
};
const noteTitle: Text = {
  zh: "用户的钩子对这个结果的说明，请考虑：",
  en: "A hook of the user says about this result, which you should take into account:",
};
