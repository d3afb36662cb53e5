import { type Locale, say, type Text } from "../kit/locale.ts";
import { capitalize } from "../kit/text/capitalize.ts";
import { formatCount } from "../kit/text/format-count.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { truncate } from "../kit/text/truncate.ts";
import { describeCallsUsed } from "./limits/limits.ts";
import type { Notice } from "./run/events.ts";
import { describeDelivered } from "./run/message-delivered.ts";
import type { Outcome } from "./run/outcome.ts";

/** Creates one kind of notice from its facts. */
interface NoticeKind<Facts> {
  (facts: Facts, locale: Locale): Notice;
  readonly code: string;
  readonly isInResult: boolean;
}

interface NoticeRow<Facts> {
  level: Notice["level"];
  /** Is true when the result of the run repeats the notice, because it is about the answer itself and not about how it came. */
  isInResult: boolean;
  text(facts: Facts): Text;
}

function defineNotice<Facts>(code: string, { level, isInResult, text }: NoticeRow<Facts>): NoticeKind<Facts> {
  const create = (facts: Facts, locale: Locale): Notice => {
    return { type: "notice", level, code, message: sanitizeLine(say(locale, text(facts))) };
  };
  return Object.assign(create, { code, isInResult });
}

const answerWritten: Text = { zh: "回答已经写好", en: "the answer was already written" };

/** Says why a run that ended so took no further step. */
const undeliveredReasons: Readonly<Record<Outcome["status"], Text>> = {
  complete: answerWritten,
  partial: answerWritten,
  needs_confirmation: { zh: "运行在等待确认", en: "the run waits for a confirmation" },
  running: { zh: "这次运行没有下一步", en: "the run took no further step" },
  cancelled: { zh: "运行已取消", en: "the run was cancelled" },
  failed: { zh: "运行失败了", en: "the run failed" },
};

/** Lists the notices about the circumstances of a run: what is kept of it, its conversation, and the tools that it lacks. */
export const noticeKinds = {
  /** `isTriedAgain` is true while the turn is kept in memory to be saved later. */
  notSaved: defineNotice("not-saved", {
    level: "warning",
    isInResult: true,
    text: ({ why, isTriedAgain }: { why: Text; isTriedAgain: boolean }) => ({
      zh: `这一轮没有保存：${why.zh}${isTriedAgain ? "。程序会继续尝试保存。" : ""}`,
      en: `This turn was not saved: ${why.en}${isTriedAgain ? ". Saving it is tried again." : ""}`,
    }),
  }),
  savedLate: defineNotice("saved-late", {
    level: "info",
    isInResult: true,
    text: (which: "this" | "earlier") =>
      which === "this"
        ? { zh: "这一轮起初没能保存，现在已经保存。", en: "This turn could not be saved at first. It is saved now." }
        : {
            zh: "这个对话中先前没能保存的内容，现在已经保存。",
            en: "What could not be saved of this conversation before is saved now.",
          },
  }),
  /** Is told where a step of a run could not be recorded. */
  notResumable: defineNotice("not-resumable", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({
      zh: `这次运行的步骤没有记录，如果程序意外结束，它不能继续：${why.zh}。`,
      en: `The steps of this run are not recorded, so it cannot go on if the program ends unexpectedly: ${why.en}.`,
    }),
  }),
  /** `lastAt` is when the last step was recorded: ISO 8601, UTC. */
  runResumed: defineNotice("run-resumed", {
    level: "info",
    isInResult: true,
    text: (lastAt: string) => ({
      zh: `程序曾意外结束，或失去了联系；这次运行从 ${toSecond(lastAt)} 的记录继续，已完成的步骤没有重做。`,
      en: `The program ended unexpectedly, or was cut off; this run goes on from its records of ${toSecond(lastAt)}. Finished steps are not repeated.`,
    }),
  }),
  /** Is told where the earlier process was told to end and handed the run over. */
  runHandedOver: defineNotice("run-handed-over", {
    level: "info",
    isInResult: false,
    text: () => ({
      zh: "原来的进程正常退出，已把这次运行移交给另一个进程继续；已完成的步骤没有重做。",
      en: "The process of this run was told to end and handed it over to another one, which goes on. Finished steps are not repeated.",
    }),
  }),
  /** Is told where the server has cancelled the run at its own end. Nobody knows what the calls did that it has `cut` off. */
  serverEnded: defineNotice("server-ended", {
    level: "warning",
    isInResult: true,
    text({ finished, unclear }: { finished: number; unclear: number }) {
      const done = {
        zh: finished === 0 ? "" : `已完成 ${finished} 次工具调用，其效果不会撤销；`,
        en: finished === 0 ? "" : `What its ${formatCount(finished, "finished tool call")} did stays done. `,
      };
      const open = {
        zh: unclear === 0 ? "" : `有 ${unclear} 次工具调用可能已经生效；`,
        en: unclear === 0 ? "" : `${formatCount(unclear, "tool call")} may have taken effect. `,
      };
      const isUntouched = finished + unclear === 0;
      return {
        zh: `服务器正在关闭，已取消这次运行。${done.zh}${open.zh}${isUntouched ? "请再问一次。" : "请先确认做了什么，再重新提问。"}`,
        en: `The server is closing and has cancelled this run. ${done.en}${open.en}${isUntouched ? "Ask again." : "Check that before you ask again."}`,
      };
    },
  }),
  summaryNotSaved: defineNotice("summary-not-saved", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({
      zh: `对话摘要没有保存：${why.zh}`,
      en: `The summary of the conversation was not saved: ${why.en}`,
    }),
  }),
  storeUnavailable: defineNotice("store-unavailable", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({
      zh: `对话只保留到进程结束，之前的对话无法读取：${why.zh}`,
      en: `Conversations are kept only until this process ends, and earlier ones cannot be read: ${why.en}`,
    }),
  }),
  storeFailing: defineNotice("store-failing", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({
      zh: `对话存储目前无法写入：${why.zh}`,
      en: `The conversation store cannot be written at present: ${why.en}`,
    }),
  }),
  runsLost: defineNotice("runs-lost", {
    level: "warning",
    isInResult: false,
    text: (count: number) => ({
      zh: `有 ${count} 个运行没能保存，不再尝试。`,
      en: `${formatCount(count, "run")} could not be saved, and will not be tried again.`,
    }),
  }),
  /** `name` is the file under which the damaged store is kept, for those who may know it. */
  storeDamaged: defineNotice("store-damaged", {
    level: "warning",
    isInResult: true,
    text: ({ name }: { name: string | undefined }) => ({
      zh: `对话存储已损坏，原文件${name === undefined ? "已另行保留" : `保留为 ${name}`}；已新建空的存储，其中没有之前的对话。`,
      en: `The conversation store was damaged; its file is kept${name === undefined ? "" : ` as ${name}`}. A new, empty store was created.`,
    }),
  }),
  storeReplaced: defineNotice("store-replaced", {
    level: "warning",
    isInResult: true,
    text: () => ({
      zh: "对话存储的文件在使用中被替换或删除。此后的对话保存在现在的文件中，之前的对话可能已不在其中。",
      en: "The file of the conversation store was replaced or deleted while it was in use. What follows is saved in the present file, which may lack earlier conversations.",
    }),
  }),
  /** `begun` is the ID of the conversation that replaces the one that was asked for. */
  conversationUnknown: defineNotice("conversation-unknown", {
    level: "warning",
    isInResult: true,
    text({ id, begun }: { id: string; begun: string }) {
      const shown = truncate(sanitizeLine(id), 100);
      const isSame = id === begun;
      return {
        zh: `没有找到对话 ${shown}，已用${isSame ? "这个编号" : `编号 ${begun} `}开始新的对话。`,
        en: `Conversation ${shown} was not found; a new one was started under ${isSame ? "that ID" : `the ID ${begun}`}.`,
      };
    },
  }),
  /** Says why a file that came with the question is not part of it. */
  notAttached: defineNotice("not-attached", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({ zh: `未附上：${why.zh}`, en: `Not attached: ${why.en}` }),
  }),
  messageDelivered: defineNotice("message-delivered", {
    level: "info",
    isInResult: false,
    text: describeDelivered,
  }),
  /** Is told where a run was over before the next step, in which the models would have read it. */
  messageUndelivered: defineNotice("message-undelivered", {
    level: "warning",
    isInResult: true,
    text({ said, status }: { said: string; status: Outcome["status"] }) {
      const shown = truncate(sanitizeLine(said), 500);
      const why = undeliveredReasons[status];
      return {
        zh: `没有转达，因为${why.zh}，请在下一个问题中提出：${shown}`,
        en: `Not passed on, because ${why.en}; ask it as the next question: ${shown}`,
      };
    },
  }),
  /** Is told where a hook does not let a message to a running question through. */
  messageRefused: defineNotice("message-refused", {
    level: "warning",
    isInResult: true,
    text({ said, why }: { said: string; why: string }) {
      const shown = truncate(sanitizeLine(said), 500);
      return {
        zh: `钩子没有放行这条消息${why === "" ? "" : `（${why}）`}：${shown}`,
        en: `A hook did not let this message through${why === "" ? "" : ` (${why})`}: ${shown}`,
      };
    },
  }),
  budgetNearlyUsed: defineNotice("budget-nearly-used", {
    level: "warning",
    isInResult: true,
    text({ setting, used, most }: { setting: string; used: number; most: number }) {
      const share = Math.floor((100 * used) / most);
      return {
        zh: `预算 ${setting}（${most}）已用 ${share}%。`,
        en: `${share}% of the budget ${setting} (${most}) is used.`,
      };
    },
  }),
  /** Is told where a run has answered from all the calls that it may make. */
  callsUsed: defineNotice("calls-used", {
    level: "info",
    isInResult: true,
    text({ setting, value }: NonNullable<Outcome["limit"]>) {
      const { zh, en } = describeCallsUsed(value);
      return { zh: `${zh}；可用 ${setting} 调高。`, en: `${capitalize(en)}; ${setting} allows more.` };
    },
  }),
  /** Is told where the user wanted a run to go on that had reached a limit, and none could be begun. */
  notGoneOn: defineNotice("not-gone-on", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({ zh: `没能继续：${why.zh}`, en: `Could not go on: ${why.en}` }),
  }),
  priceUnknown: defineNotice("price-unknown", {
    level: "warning",
    isInResult: false,
    text: (model: string) => ({
      zh: `${model} 的价格未知，费用上限对它不起作用；可在 providers 中用 prices 设置。`,
      en: `The price of ${model} is unknown, so the cost budget does not include it; set it with prices under providers.`,
    }),
  }),
  nestedTooDeep: defineNotice("nested-too-deep", {
    level: "warning",
    isInResult: false,
    text: (depth: number) => ({
      zh: `Duet 已嵌套启动 ${depth} 层，为避免循环没有启动 MCP 服务器。`,
      en: `Duet is nested ${depth} levels deep; to break the loop, no MCP server was started here.`,
    }),
  }),
  serverUnavailable: defineNotice("server-unavailable", {
    level: "warning",
    isInResult: false,
    text: ({ name, why }: { name: string; why: Text }) => ({
      zh: `MCP 服务器 ${name} 不可用，其余照常：${why.zh}`,
      en: `MCP server ${name} is unavailable; continuing without it: ${why.en}`,
    }),
  }),
  /** Is told where patterns of the question's `tools` match no tool; `why` says so of those that name a server which is missing. */
  toolsUnmatched: defineNotice("tools-unmatched", {
    level: "warning",
    isInResult: true,
    text(patterns: readonly { written: string; why: Text | undefined }[]) {
      const shown = patterns.slice(0, 5).map(({ written, why }) => {
        const name = JSON.stringify(truncate(written, 80));
        return why === undefined ? { zh: name, en: name } : { zh: `${name}（${why.zh}）`, en: `${name} (${why.en})` };
      });
      const rest = patterns.length - shown.length;
      const more = rest === 0 ? { zh: "", en: "" } : { zh: ` 等 ${patterns.length} 项`, en: ` and ${rest} more` };
      return {
        zh: `tools 中的以下条目没有匹配到任何工具：${shown.map(({ zh }) => zh).join("、")}${more.zh}`,
        en: `No tool matches these entries of tools: ${shown.map(({ en }) => en).join(", ")}${more.en}`,
      };
    },
  }),
  /** `rest` counts the findings after the first. */
  serverSuspicious: defineNotice("server-suspicious", {
    level: "warning",
    isInResult: false,
    text: ({ name, first, rest }: { name: string; first: Text; rest: number }) => ({
      zh: `MCP 服务器 ${name} 有需要查看之处${rest === 0 ? "" : `（另有 ${rest} 项）`}：${first.zh}。详见 duet tools`,
      en: `The MCP server ${name} has something to review${rest === 0 ? "" : ` (and ${rest} more)`}: ${first.en}. See duet tools`,
    }),
  }),
  toolsUnapproved: defineNotice("tools-unapproved", {
    level: "warning",
    isInResult: false,
    text: ({ name, waiting }: { name: string; waiting: number }) => ({
      zh: `MCP 服务器 ${name} 有 ${waiting} 个工具是新的或有变化，批准前不会使用：duet tools approve ${name}，在聊天中 /tools approve ${name}`,
      en: `${formatCount(waiting, "tool")} of the MCP server ${name}, new or changed, will not be used until approved: duet tools approve ${name}, or /tools approve ${name} in the chat`,
    }),
  }),
  toolBroken: defineNotice("tool-broken", {
    level: "warning",
    isInResult: false,
    text: (problem: Text) => ({
      zh: `你的一个工具不能使用，其余照常：${problem.zh}`,
      en: `One of your own tools was skipped: ${problem.en}`,
    }),
  }),
  /** Is told by the rules of consent, which know why a call was not run. */
  approvalMissing: defineNotice("approval-missing", { level: "info", isInResult: true, text: (why: Text) => why }),
  /** Is told where another agent does not continue the session that it had for the conversation. */
  agentSessionLost: defineNotice("agent-session-lost", { level: "info", isInResult: true, text: (why: Text) => why }),
  /** Is told where a question asks for something that another agent is not told. */
  agentNotTold: defineNotice("agent-not-told", {
    level: "warning",
    isInResult: true,
    text: ({ name, what }: { name: string; what: Text }) => ({
      zh: `没有告诉智能体 ${name}：${what.zh}`,
      en: `The agent ${name} was not told of: ${what.en}`,
    }),
  }),
  /** Is told where a hook ended by itself, or did not end, without a decision. What it is about goes on. */
  hookFailed: defineNotice("hook-failed", {
    level: "warning",
    isInResult: false,
    text: ({ hook, why }: { hook: string; why: Text }) => ({
      zh: `钩子 ${hook}：${why.zh}`,
      en: `Hook ${hook}: ${why.en}`,
    }),
  }),
  /** Is told where a hook says something to people (`systemMessage`). */
  hookMessage: defineNotice("hook-message", {
    level: "warning",
    isInResult: false,
    text: ({ hook, message }: { hook: string; message: string }) => ({
      zh: `钩子 ${hook} 说：${message}`,
      en: `Hook ${hook} says: ${message}`,
    }),
  }),
  /** Is told where a hook after the answer wants the run to go on, which it does not do by itself. */
  hookWantsMore: defineNotice("hook-wants-more", {
    level: "warning",
    isInResult: false,
    text: ({ hook, reason }: { hook: string; reason: string }) => ({
      zh: `钩子 ${hook} 认为还没有完成${reason === "" ? "" : `：${reason}`}（需要时请接着提问）`,
      en: `Hook ${hook} says that the work is not done${reason === "" ? "" : `: ${reason}`} (ask on if you want it to go on)`,
    }),
  }),
  hookChanged: defineNotice("hook-changed", {
    level: "info",
    isInResult: false,
    text({ hook, tool, args }: { hook: string; tool: string; args: unknown }) {
      const shown = truncate(sanitizeLine(JSON.stringify(args)), 300);
      return {
        zh: `${hook} 修改了 ${tool} 的参数：${shown}`,
        en: `${hook} changed the arguments of ${tool}: ${shown}`,
      };
    },
  }),
  historyUnread: defineNotice("history-unread", {
    level: "warning",
    isInResult: false,
    text: ({ file, why }: { file: string; why: Text }) => ({
      zh: `旧版本的输入历史 ${file} 没有导入，文件保持原样：${why.zh}`,
      en: `The input history ${file} of an earlier version was not imported and stays as it is: ${why.en}`,
    }),
  }),
};

/** Returns true for the notice with which another process begins to go on with a run. */
export function isTakeoverNotice({ code }: Pick<Notice, "code">): boolean {
  return code === noticeKinds.runResumed.code || code === noticeKinds.runHandedOver.code;
}

const resultCodes: ReadonlySet<string> = new Set(
  Object.values(noticeKinds).flatMap(({ code, isInResult }) => (isInResult ? [code] : [])),
);

export type OutcomeNotice = NonNullable<Outcome["notices"]>[number];

/** Returns the notices that the result of their run repeats, each once. */
export function toOutcomeNotices(notices: readonly Pick<Notice, "level" | "code" | "message">[]): OutcomeNotice[] {
  const kept = notices.filter(({ code }) => resultCodes.has(code));
  return kept
    .filter(({ code, message }, index) => {
      return kept.findIndex((other) => other.code === code && other.message === message) === index;
    })
    .map(({ level, code, message }) => ({ level, code, message }));
}

/**
 * Returns a quoted line for each call of a run that was not made for want of consent. It belongs into the answer where its reader
 * may see nothing else. An answer that a program reads holds nothing beside its object.
 */
export function renderMissingConsent({ notices = [], output }: Pick<Outcome, "notices" | "output">): string[] {
  if (output !== undefined) return [];
  const missing = notices.filter(({ code }) => code === noticeKinds.approvalMissing.code);
  return missing.map(({ message }) => `> ${sanitizeLine(message)}`);
}

/** Adds notices to a result. One without any has no such field. */
export function addNotices(outcome: Outcome, notices: readonly OutcomeNotice[]): Outcome {
  return notices.length === 0 ? outcome : { ...outcome, notices: [...(outcome.notices ?? []), ...notices] };
}

/** Returns what a run says that the server has cancelled at its own end; undefined for another one. */
export function readServerEnd({ notices = [] }: Pick<Outcome, "notices">): string | undefined {
  return notices.find(({ code }) => code === noticeKinds.serverEnded.code)?.message;
}

/** Returns the result of a run that could be saved after it had ended. */
export function replaceNotSaved(outcome: Outcome, locale: Locale): Outcome {
  const { notSaved, storeUnavailable, savedLate } = noticeKinds;
  const passed: readonly string[] = [notSaved.code, storeUnavailable.code];
  const others = outcome.notices?.filter(({ code }) => !passed.includes(code)) ?? [];
  if (others.length === outcome.notices?.length || outcome.notices === undefined) return outcome;
  return { ...outcome, notices: [...others, ...toOutcomeNotices([savedLate("this", locale)])] };
}

/** Writes a moment for people, to the second. Takes ISO 8601, UTC. */
function toSecond(moment: string): string {
  return `${moment.slice(0, 19).replace("T", " ")} UTC`;
}
