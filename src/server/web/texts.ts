import { type Locale, say, type Text } from "../../kit/locale.ts";
import { stopReasons } from "../../render/event-lines.ts";
import type { RunView, StepView } from "./run/run-view.ts";

/** Holds all texts of the page that do not come from the run. */
export const texts = {
  noQuestion: { zh: "Duet 的一次运行", en: "A run of Duet" },
  stop: { zh: "停止", en: "Stop" },
  stopping: { zh: "正在停止…", en: "Stopping…" },
  notStopped: { zh: "未能停止：", en: "Not stopped: " },
  notOpened: { zh: "这个链接没有被打开：", en: "This link was not opened: " },
  confirmCall: { zh: "有一次工具调用等待你的同意", en: "A tool call is waiting for your approval" },
  confirmPlan: { zh: "计划等待你的确认", en: "The plan is waiting for your approval" },
  question: { zh: "有一个工具在提问", en: "A tool asks a question" },
  agentsBelow: { zh: "子智能体", en: "Sub-agents" },
  runs: { zh: "运行", en: "Runs" },
  allTokens: { zh: "Token", en: "Tokens" },
  chatAsks: { zh: "请在对话中回答：那里会向你提问。", en: "Answer in the chat: it will ask you." },
  plan: { zh: "计划", en: "Plan" },
  steps: { zh: "步骤", en: "Steps" },
  answer: { zh: "回答", en: "Answer" },
  sources: { zh: "参考文献", en: "References" },
  bill: { zh: "用量", en: "Usage" },
  thought: { zh: "想法", en: "Thought" },
  thinking: { zh: "💭 思考中...", en: "💭 Thinking..." },
  reasoning: { zh: "💡 思考过程", en: "💡 Reasoning" },
  arguments: { zh: "参数", en: "Arguments" },
  result: { zh: "结果", en: "Result" },
  running: { zh: "执行中", en: "running" },
  ok: { zh: "成功", en: "succeeded" },
  failed: { zh: "失败", en: "failed" },
  cached: { zh: "来自缓存", en: "cached" },
  model: { zh: "模型", en: "Model" },
  calls: { zh: "调用", en: "Calls" },
  tokens: { zh: "Token（入 → 出）", en: "Tokens (in → out)" },
  time: { zh: "时间", en: "Time" },
  cost: { zh: "费用", en: "Cost" },
  unknown: { zh: "未知", en: "unknown" },
  noHost: {
    zh: "这个页面由支持 MCP Apps 的程序显示，单独打开时没有内容。",
    en: "This page is shown by a program that supports MCP Apps; opened alone, it is empty.",
  },
  notFollowed: {
    zh: "无法跟随这次运行；结果到达后会显示在这里。",
    en: "The run cannot be followed from here; its result will be shown when it arrives.",
  },
} as const satisfies Record<string, Text>;

export const phaseTitles: Record<"compact" | "plan" | "decide" | "answer", Text> = {
  compact: { zh: "压缩较早的对话", en: "Condense the conversation" },
  plan: { zh: "规划阶段", en: "Plan" },
  decide: { zh: "工具调用阶段", en: "Decide" },
  answer: { zh: "回答生成阶段", en: "Answer" },
};

/** Returns the status line that screen readers announce: the current activity, or how the run ended. */
export function renderStatus(view: RunView, locale: Locale): string {
  const { status, stopReason, limit } = view;
  if (status === "running") return say(locale, describeActivity(view.steps.at(-1)));
  const text = say(locale, statusTexts[status]);
  const isPlain = stopReason === undefined || stopReason === "answered" || status === "cancelled";
  if (isPlain || (status !== "partial" && status !== "failed")) return text;
  const { zh, en } = stopReasons[stopReason];
  // What raises the limit is the operator's setting.
  const setting = limit ? ` (${limit.setting}: ${limit.value})` : "";
  return say(locale, { zh: `${text}：${zh}`, en: `${text}: ${en}` }) + setting;
}

export function renderStepTitle({ phase, step, items }: StepView): Text {
  const count = items.filter(({ kind }) => kind === "call").length;
  const name = phase === undefined ? { zh: "工具调用", en: "Tool calls" } : phaseTitles[phase];
  const title = phase === "decide" ? { zh: `${name.zh} ${step}`, en: `${name.en} ${step}` } : name;
  if (count === 0) return title;
  return { zh: `${title.zh} · ${count} 次调用`, en: `${title.en} · ${count} ${count === 1 ? "call" : "calls"}` };
}

/** Names how a run stands or has ended. */
export const statusTexts: Record<Exclude<RunView["status"], "running">, Text> = {
  waiting: { zh: "等待开始…", en: "Waiting for the run to start…" },
  ended: { zh: "已结束", en: "Ended" },
  complete: { zh: "已完成", en: "Complete" },
  partial: { zh: "回答不完整", en: "Partial answer" },
  failed: { zh: "失败", en: "Failed" },
  cancelled: { zh: "已取消", en: "Cancelled" },
  needs_confirmation: { zh: "等待确认", en: "Waiting for approval" },
};

function describeActivity(step: StepView | undefined): Text {
  const call = step?.items.findLast((item) => item.kind === "call" && item.end === undefined);
  if (call?.kind === "call") return { zh: `正在调用 ${call.tool}…`, en: `Calling ${call.tool}…` };
  if (step?.phase === "answer") return { zh: "正在写回答…", en: "Writing the answer…" };
  if (step?.phase === "compact") return { zh: "正在压缩较早的对话…", en: "Condensing the conversation…" };
  if (step?.phase === "plan") return { zh: "正在规划…", en: "Planning…" };
  return { zh: "思考中... 正在决定下一步", en: "Thinking... deciding what to do" };
}
