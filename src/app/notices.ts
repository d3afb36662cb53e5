import type { ServerStatus } from "../client/server-connection.ts";
import { describeUnusable } from "../client/unusable-server.ts";
import type { Config } from "../config/config.ts";
import { deepestChain } from "../core/chain.ts";
import type { Notice } from "../core/events.ts";
import { type DuetError, toDuetError, toErrorReport } from "../kit/errors.ts";
import { type Locale, removePrefix, say, type Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { truncate } from "../kit/text/truncate.ts";
import { joinSentences } from "../render/event-lines.ts";
import type { DroppedTool } from "../tools/collect-tools.ts";
import { findMissingTools } from "./tools/user-tools.ts";

/** Tells that no server was started, because Duets start one another in a circle. */
export function noticeNested(
  { depth, servers }: Pick<Config, "depth" | "servers">,
  known: Set<string>,
  locale: Locale,
): Notice[] {
  if (servers.length === 0 || depth < deepestChain || known.has(nestedCode)) return [];
  known.add(nestedCode);
  const message = say(locale, {
    zh: `Duet 已嵌套启动 ${depth} 层，为避免循环没有启动 MCP 服务器。`,
    en: `Duet is nested ${depth} levels deep; to break the loop, no MCP server was started here.`,
  });
  return [{ type: "notice", level: "warning", code: nestedCode, message }];
}

const nestedCode = "nested-too-deep";

/** Reports the servers that a run continues without. `known` holds what was reported before. */
export function noticeUnavailable(states: readonly ServerStatus[], known: Set<string>, locale: Locale): Notice[] {
  return states.flatMap(({ name, state, toolCount, error }): Notice[] => {
    // One that is being started again still offers what it had.
    const isLate = state === "starting" && toolCount === 0;
    if (known.has(name) || (error === null && !isLate)) return [];
    known.add(name);
    const why = error ? describeServerFailure(name, error) : { zh: "还在启动", en: "it is still starting" };
    const message = say(locale, {
      zh: `MCP 服务器 ${name} 不可用，其余照常：${why.zh}`,
      en: `MCP server ${name} is unavailable; continuing without it: ${why.en}`,
    });
    return [{ type: "notice", level: "warning", code: "server-unavailable", message }];
  });
}

/** Reports the servers whose tool descriptions a person should review. `known` holds what was reported before. */
export function noticeSuspicious(states: readonly ServerStatus[], known: Set<string>, locale: Locale): Notice[] {
  return states.flatMap(({ name, warnings: [first, ...more] }): Notice[] => {
    const key = `${suspiciousCode} ${name}`;
    if (first === undefined || known.has(key)) return [];
    known.add(key);
    const rest =
      more.length === 0 ? { zh: "", en: "" } : { zh: `（另有 ${more.length} 项）`, en: ` (and ${more.length} more)` };
    const message = say(locale, {
      zh: `MCP 服务器 ${name} 有需要查看之处${rest.zh}：${first.zh}。详见 duet tools`,
      en: `The MCP server ${name} has something to review${rest.en}: ${first.en}. See duet tools`,
    });
    return [{ type: "notice", level: "warning", code: suspiciousCode, message: sanitizeLine(message) }];
  });
}

const suspiciousCode = "server-suspicious";

/** Reports the tools that are not used until somebody approves them. `known` holds what was reported before. */
export function noticeUnapproved(states: readonly ServerStatus[], known: Set<string>, locale: Locale): Notice[] {
  return states.flatMap(({ name, waiting }): Notice[] => {
    const key = `${unapprovedCode} ${name} ${waiting}`;
    if (waiting === 0 || known.has(key)) return [];
    known.add(key);
    const message = say(locale, {
      zh: `MCP 服务器 ${name} 有 ${waiting} 个工具是新的或有变化，批准前不会使用：duet tools approve ${name}`,
      en: `${waiting === 1 ? "1 tool" : `${waiting} tools`} of the MCP server ${name}, new or changed, will not be used until approved: duet tools approve ${name}`,
    });
    return [{ type: "notice", level: "warning", code: unapprovedCode, message }];
  });
}

const unapprovedCode = "tools-unapproved";

/** Reports the user's tools and skills that a run continues without. `known` holds what was reported before. */
export function noticeBrokenTools(dropped: readonly DroppedTool[], known: Set<string>, locale: Locale): Notice[] {
  return findMissingTools(dropped).flatMap(({ name, text }): Notice[] => {
    const key = `${brokenCode} ${name}`;
    if (known.has(key)) return [];
    known.add(key);
    const message = say(locale, {
      zh: `您的一个工具不能使用，其余照常：${text.zh}`,
      en: `One of your own tools was skipped: ${text.en}`,
    });
    return [{ type: "notice", level: "warning", code: brokenCode, message }];
  });
}

const brokenCode = "tool-broken";

/** Reports that the requested conversation was not found. `begun` is the ID of the conversation that replaces it. */
export function noticeLostConversation(id: string, begun: string, locale: Locale): Notice {
  const shown = truncate(sanitizeLine(id), 100);
  const isSame = id === begun;
  const message = say(locale, {
    zh: `没有找到对话 ${shown}，已用${isSame ? "这个编号" : `编号 ${begun} `}开始新的对话。`,
    en: `Conversation ${shown} was not found; a new one was started under ${isSame ? "that ID" : `the ID ${begun}`}.`,
  });
  return { type: "notice", level: "warning", code: "conversation-unknown", message };
}

/** Tells that the conversations so far could not be read, and where their file is now. */
export function noticeDamagedStore(name: string, locale: Locale): Notice {
  const message = say(locale, {
    zh: `对话存储已损坏，原文件保留为 ${name}；已新建空的存储，其中没有之前的对话。`,
    en: `The conversation store was damaged; its file is kept as ${name}. A new, empty store was created.`,
  });
  return { type: "notice", level: "warning", code: "store-damaged", message };
}

/** Tells that conversations are not kept, and why. */
export function noticeUnavailableStore(problem: DuetError, locale: Locale): Notice {
  const { message: why, hint } = toErrorReport(problem, locale);
  const message = say(locale, {
    zh: `对话只保留到进程结束，之前的对话无法读取：${joinSentences(why, hint)}`,
    en: `Conversations are kept only until this process ends, and earlier ones cannot be read: ${joinSentences(why, hint)}`,
  });
  return { type: "notice", level: "warning", code: "store-unavailable", message };
}

/** Tells that what was typed under an earlier version could not be taken over, and why. */
export function noticeUnreadHistory(file: string, thrown: unknown, locale: Locale): Notice {
  const { message: why } = toErrorReport(toDuetError(thrown), locale);
  const message = say(locale, {
    zh: `旧版本的输入历史 ${file} 没有导入，文件保持原样：${why}`,
    en: `The input history ${file} of an earlier version was not imported and stays as it is: ${why}`,
  });
  return { type: "notice", level: "warning", code: "history-unread", message: sanitizeLine(message) };
}

/** Explains why a server cannot be used, for a line that has already named the server. */
export function describeServerFailure(name: string, { text }: DuetError): Text {
  return removePrefix(text, describeUnusable(name));
}
