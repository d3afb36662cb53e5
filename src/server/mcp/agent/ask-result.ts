import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import type { Outcome, ToolCallRecord } from "../../../core/run/outcome.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { sanitize, toSafeJson, toShortLine } from "../../../kit/text/sanitize.ts";
import { noticeLine, renderPartial } from "../../../render/event-lines.ts";
import { type HostOutcomeOptions, hasEnded, toHostOutcome } from "./host-outcome.ts";

export interface AskResultOptions extends HostOutcomeOptions {
  locale: Locale;
  /** Says what an active run waits for. */
  waits?: string | undefined;
  /** Holds the images that the host asked for. */
  images?: readonly ContentBlock[] | undefined;
  /** Is true when the host gets a link to the trace beside the text. */
  linksTrace?: boolean | undefined;
}

/** Converts a run's outcome to a tool result: a text that is complete by itself, and an object that is complete by itself. */
export function toAskResult(
  outcome: Outcome,
  { locale, waits, images = [], linksTrace, ...options }: AskResultOptions,
): CallToolResult {
  const notices = (outcome.notices ?? []).map(noticeLine);
  // What a program reads is the JSON alone.
  const partial = outcome.output && renderPartial(outcome, locale);
  const [text = "", ...aside] = splitOutput(outcome, [
    renderOutcomeText(outcome, locale, waits),
    ...(partial ? [partial] : []),
    ...notices,
  ]);
  return {
    content: [
      ...[text, ...aside].map((part): ContentBlock => ({ type: "text", text: part })),
      ...images,
      ...(linksTrace ? createTraceLink(outcome, locale) : []),
    ],
    structuredContent: toHostOutcome(outcome, text, options),
    // What was stopped on purpose has not gone wrong.
    isError: outcome.success || outcome.status === "cancelled" ? undefined : true,
  };
}

/** Returns one text; two where the first is JSON, which a program reads and nothing else may stand in. */
function splitOutput({ output }: Outcome, [first = "", ...others]: readonly string[]): string[] {
  const aside = others.join("\n\n");
  if (output === undefined) return [aside === "" ? first : `${first}\n\n${aside}`];
  return aside === "" ? [first] : [first, aside];
}

function renderOutcomeText(outcome: Outcome, locale: Locale, waits: string | undefined): string {
  if (outcome.status === "running") return renderRunning(outcome, locale, waits);
  if (outcome.confirmation?.kind === "call") return renderWaitingCall(outcome, outcome.confirmation, locale);
  return outcome.success ? renderAnswer(outcome, locale) : renderFailure(outcome, locale);
}

/** An active run has no trace yet. */
function createTraceLink({ status, run_id: id }: Outcome, locale: Locale): ContentBlock[] {
  if (status === "running" || id === "") return [];
  const title = say(locale, { zh: "运行的追踪", en: "Trace of the run" });
  return [{ type: "resource_link", uri: `duet://runs/${id}`, name: id, title, mimeType: "application/json" }];
}

function renderAnswer(outcome: Outcome, locale: Locale): string {
  if (outcome.output) return outcome.response;
  return [outcome.response, renderPartial(outcome, locale), describeConfirmation(outcome, locale)]
    .filter(Boolean)
    .join("\n\n");
}

/** Tells the host's model how to send the user's answer to a plan. */
function describeConfirmation({ status, conversation_id, confirmation }: Outcome, locale: Locale): string | undefined {
  if (status !== "needs_confirmation") return undefined;
  if (confirmation === undefined)
    return say(locale, { zh: "这个计划已不再等待确认。", en: "This plan is no longer waiting for confirmation." });
  const call = `agent_ask ${JSON.stringify({ conversation_id, mode: "plan", question: "y", confirmation: confirmation.token })}`;
  return say(locale, {
    zh: `请把计划交给用户确认，再用用户的回复作为 question 调用，例如 ${call}`,
    en: `Have the user confirm the plan, then call with the user's reply as the question, such as ${call}`,
  });
}

function renderWaitingCall(
  { response }: Outcome,
  { tool = "", arguments: args = {}, rule = "", reason, token, expires_at }: NonNullable<Outcome["confirmation"]>,
  locale: Locale,
): string {
  const call = `agent_ask ${JSON.stringify({ question: "yes", confirmation: token })}`;
  const stakes = reason === undefined ? "" : `\n\n${reason}`;
  const words = {
    zh: `运行暂停：调用 ${tool} 需要用户批准（规则 ${rule}）。参数：\n${toSafeJson(args, 2)}${stakes}\n\n请把工具和参数原样告诉用户并询问是否批准，不要自行决定。再用用户的回复（yes 或 no）作为 question 调用：${call}\n此令牌只用于这一次调用，有效期至 ${expires_at}；过期则不执行该调用，运行继续。`,
    en: `The run waits: calling ${tool} needs the user's approval (rule ${rule}). Arguments:\n${toSafeJson(args, 2)}${stakes}\n\nShow the user the tool and these arguments and ask; do not decide this yourself. Then call with the user's reply (yes or no) as the question: ${call}\nThe token is valid for this one call until ${expires_at}; after that the call is not made and the run continues without it.`,
  };
  return [response, sanitize(say(locale, words))].filter(Boolean).join("\n\n");
}

/** Renders all that is known, and how to get the rest. */
function renderRunning(outcome: Outcome, locale: Locale, waits: string | undefined): string {
  const { run_id, meta } = outcome;
  const call = `agent_result ${JSON.stringify({ run_id })}`;
  const time = Math.round(meta.latency_ms / 1000);
  const head = {
    zh: `还在运行（已 ${time} 秒），内容不会丢失。请调用 ${call} 取得其余部分；agent_cancel 可停止它。`,
    en: `Still running (${time} s so far); nothing is lost. Call ${call} for the result; agent_cancel stops it.`,
  };
  return [say(locale, head), waits, ...renderKnownParts(outcome, locale)].filter(Boolean).join("\n\n");
}

/** Renders what a run has produced before its end. */
function renderKnownParts({ response, tool_calls: calls }: Outcome, locale: Locale): string[] {
  const title = say(locale, { zh: "到目前为止：", en: "So far:" });
  const steps = calls.length === 0 ? [] : [[title, ...calls.map(renderCall)].join("\n")];
  const begun = say(locale, { zh: "回答的开头：", en: "The answer so far:" });
  return response === "" ? steps : [...steps, `${begun}\n${sanitize(response)}`];
}

function renderCall(call: ToolCallRecord): string {
  const { tool, arguments: args, result, ok } = call;
  const mark = ok ? "✓" : hasEnded(call) ? "✗" : "…";
  return `${mark} ${toShortLine(tool, 80)} ${toShortLine(JSON.stringify(args), 160)} ${toShortLine(result, 200)}`.trimEnd();
}

function renderFailure(outcome: Outcome, locale: Locale): string {
  const { status, response, error } = outcome;
  if (status === "cancelled")
    return [say(locale, { zh: "已取消。", en: "Cancelled." }), ...renderKnownParts(outcome, locale)].join("\n\n");
  const message = error?.message ?? say(locale, { zh: "运行失败。", en: "The run failed." });
  return [message, error?.hint, response].filter(Boolean).join("\n");
}
