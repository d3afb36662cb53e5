import type { ServerStatus } from "../client/connection.ts";
import { type Locale, say } from "../core/locale.ts";
import type { Notice } from "../core/notice.ts";

/** Tells which servers a run goes on without; `known` keeps what was told already. */
export function unavailable(states: readonly ServerStatus[], known: Set<string>, locale: Locale): Notice[] {
  return states.flatMap(({ name, state, error }): Notice[] => {
    if (known.has(name) || (error === null && state !== "starting")) return [];
    known.add(name);
    const why = error?.text ?? { zh: "还在启动", en: "it is still starting" };
    const message = say(locale, {
      zh: `MCP 服务器 ${name} 不可用，其余照常：${why.zh}`,
      en: `MCP server ${name} is unavailable; the rest goes on: ${why.en}`,
    });
    return [{ type: "notice", level: "warning", code: "server-unavailable", message }];
  });
}

/** Tells that a conversation to go on with is not there. */
export function lostConversation(locale: Locale): Notice {
  const message = say(locale, {
    zh: "没有这个对话（对话只保留到进程结束），已开始新的对话。",
    en: "There is no such conversation (they last as long as the process); a new one has begun.",
  });
  return { type: "notice", level: "warning", code: "conversation-unknown", message };
}
