import type { HookReply, HookRunner } from "../../core/hooks.ts";
import { noticeKinds } from "../../core/notices/notice-kinds.ts";
import { toInvalidArgumentsResult } from "../../core/tools/argument-feedback.ts";
import { fillDefaults } from "../../core/tools/fill-defaults.ts";
import { type HookDecision, isHookDecision, toCallHookName } from "../../core/tools/hook-decision.ts";
import { reportNotice } from "../../core/tools/report-notice.ts";
import { createFailure, type Tool, type ToolContext, type ToolResult, toFailure } from "../../core/tools/tool.ts";
import { DuetError, getMessage } from "../../kit/errors.ts";
import { isDeeperThan, type JsonObject } from "../../kit/json.ts";
import { say } from "../../kit/locale.ts";
import { createRandomHex } from "../../kit/random.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { wrapTool } from "../create-tool.ts";

/** Holds what hooks said before a call. All of it is recorded with the run. */
interface BeforeCall extends HookDecision {
  /** Holds the arguments that replace those of the model. */
  arguments?: JsonObject | undefined;
  notes: readonly string[];
  stop?: string | undefined;
}

/**
 * Runs hooks before and after each call of a tool. They stand outside the rules of permission, so that a person who is asked sees the
 * call as it would be made, and no hook gets round a rule. Arguments that a hook has changed are checked again.
 */
export function withHooks(tool: Tool, hooks: HookRunner): Tool {
  return wrapTool(tool, async (given, context) => {
    const args = fillDefaults(given, tool.inputSchema);
    const call: HookedCall = { tool, args, context, id: context.call?.id ?? `call-${createRandomHex().slice(0, 12)}` };
    const before = hooks.has("PreToolUse") ? await askBefore(call, hooks) : undefined;
    if (before === undefined) return runHooked(call, hooks, { rule: "", notes: [] });
    if ("ok" in before) return before;
    const made = before.arguments ?? args;
    if (before.arguments !== undefined) {
      reportNotice(context, noticeKinds.hookChanged, { hook: before.rule, tool: tool.name, args: made });
    }
    const refused = await findRefusal({ ...call, args: made }, before);
    if (refused) return addNotes(refused, before, args);
    return runHooked({ ...call, args: made }, hooks, before);
  });
}

interface HookedCall {
  tool: Tool;
  args: JsonObject;
  context: ToolContext;
  id: string;
}

/** Returns the refusal of a call whose arguments are wrong anyway: no hook is asked about it. */
async function askBefore(call: HookedCall, hooks: HookRunner): Promise<BeforeCall | ToolResult> {
  const { tool, args, context } = call;
  const problems = (await tool.check?.(args)) ?? [];
  if (problems.length > 0) return toInvalidArgumentsResult(context.locale, problems);
  const ask = async (): Promise<BeforeCall> => joinReplies(await runAt("PreToolUse", call, hooks, {}));
  const remember = context.remember ?? ((_name, _isKnown, work) => work());
  return remember(toCallHookName(call.id), isBeforeCall, ask);
}

function isBeforeCall(value: unknown): value is BeforeCall {
  return isHookDecision(value) && "notes" in value && Array.isArray(value.notes);
}

/** Denying takes precedence over asking, and asking over allowing. Of several changes of the arguments, the last one counts. */
function joinReplies(replies: readonly HookReply[]): BeforeCall {
  const decider = (["deny", "ask", "allow"] as const)
    .map((decision) => replies.find((reply) => reply.decision === decision))
    .find((reply) => reply !== undefined);
  const changer = replies.findLast(({ updatedInput }) => updatedInput !== undefined);
  const stopper = replies.find(({ stop }) => stop !== undefined);
  return {
    decision: decider?.decision,
    rule: `hooks.${(stopper ?? decider ?? changer)?.name ?? "PreToolUse"}`,
    reason: decider?.reason,
    arguments: changer?.updatedInput,
    notes: replies.flatMap(({ context }) => context ?? []),
    stop: stopper?.stop,
  };
}

/** Returns why hooks keep the call from being made, and undefined where they do not. */
async function findRefusal({ tool, args, context }: HookedCall, before: BeforeCall): Promise<ToolResult | undefined> {
  const { locale } = context;
  const { name } = tool;
  const { rule } = before;
  const permission = { decision: "denied", rule } as const;
  if (before.stop !== undefined || before.decision === "deny") {
    const why = toShortLine(before.reason ?? before.stop ?? "", 2000) || rule;
    const text = say(locale, {
      zh: `没有执行：钩子拒绝了这次 ${name} 调用：${why}`,
      en: `Not run: a hook refused this call of ${name}: ${why}`,
    });
    return { ...createFailure("denied", text), permission };
  }
  if (before.arguments === undefined) return undefined;
  // A call of a model is never that deep, and what reads arguments relies on it.
  const problems = isDeeperThan(args, deepestArguments) ? [tooDeep] : ((await tool.check?.(args)) ?? []);
  if (problems.length === 0) return undefined;
  const list = problems.map(({ path, text }) => `${path}: ${say(locale, text)}`).join("; ");
  const text = say(locale, {
    zh: `没有执行：钩子把 ${name} 的参数改成了它不接受的值（${toShortLine(list, 500)}）。这不是你的参数的问题。`,
    en: `Not run: a hook changed the arguments to what ${name} does not take (${toShortLine(list, 500)}). Your own arguments were valid.`,
  });
  return { ...createFailure("denied", text), permission };
}

const deepestArguments = 64;
const tooDeep = { path: "arguments", text: { zh: "嵌套太深", en: "nested too deep" } };

/** Makes the call by the rules, then runs the hooks after it. */
async function runHooked(call: HookedCall, hooks: HookRunner, before: BeforeCall): Promise<ToolResult> {
  const { tool, args, context } = call;
  const began = performance.now();
  const { decision, rule, reason } = before;
  let thrown: unknown;
  const result = await tool.run(args, { ...context, hook: { decision, rule, reason } }).catch((failure: unknown) => {
    thrown = failure;
    if (failure instanceof DuetError) return toFailure(failure, context.locale);
    return createFailure("tool", getMessage(failure));
  });
  const event = result.ok ? "PostToolUse" : "PostToolUseFailure";
  const hasRun = result.error === undefined || !unrun.has(result.error.code);
  const replies =
    hasRun && hooks.has(event) && !context.signal.aborted
      ? await runAt(event, call, hooks, {
          ...describeResult(result),
          duration_ms: Math.round(performance.now() - began),
        })
      : [];
  const after = joinReplies(replies);
  const feedback = replies.flatMap(({ isBlocking, reason: why }) => (isBlocking && why ? [why] : []));
  const notes = [...before.notes, ...feedback, ...after.notes];
  // What was thrown has words that only whoever catches it knows.
  if (thrown !== undefined && notes.length === 0 && after.stop === undefined) throw thrown;
  const replaced = replies.findLast(({ updatedOutput }) => updatedOutput !== undefined)?.updatedOutput;
  return addNotes(replaceOutput(result, replaced), { ...before, notes, stop: after.stop }, before.arguments && args);
}

/** Lists the failures of calls that did not reach their tool, or that were ended before it had failed. */
const unrun: ReadonlySet<string> = new Set(["invalid_arguments", "denied", "cancelled", "tool_changed", "unavailable"]);

/** Limits what a hook reads of a result, in characters. */
const longestResult = 100_000;

function describeResult({ ok, text }: ToolResult): JsonObject {
  const shown = text.slice(0, longestResult);
  return ok ? { tool_response: { success: true, text: shown, stdout: shown } } : { error: shown, is_interrupt: false };
}

/** Replaces all of a result that a model or a host could read. */
function replaceOutput(result: ToolResult, text: string | undefined): ToolResult {
  if (text === undefined) return result;
  const { ok, permission, usage } = result;
  return { ok, text, ...(permission && { permission }), ...(usage && { usage }) };
}

function addNotes(
  result: ToolResult,
  { notes, stop, arguments: changed }: BeforeCall,
  args: JsonObject | undefined,
): ToolResult {
  return {
    ...result,
    ...(changed && args && { arguments: changed }),
    ...(notes.length > 0 && { note: notes.join("\n") }),
    ...(stop !== undefined && { stop }),
  };
}

type CallEvent = "PreToolUse" | "PostToolUse" | "PostToolUseFailure";

/** Runs the hooks of an event about a call, and tells people what they said to them. */
async function runAt(event: CallEvent, call: HookedCall, hooks: HookRunner, facts: JsonObject): Promise<HookReply[]> {
  const { tool, args, context, id } = call;
  const { locale, signal } = context;
  const replies = await hooks.run({
    event,
    subject: tool.name,
    input: {
      session_id: context.call?.conversationId ?? "",
      prompt_id: context.call?.runId ?? "",
      transcript_path: "",
      permission_mode: context.call?.mode === "plan" ? "plan" : "default",
      tool_name: tool.name,
      tool_input: args,
      tool_use_id: id,
      ...facts,
    },
    call: { tool, args },
    signal,
    onStart: (line) => context.progress(say(locale, line)),
  });
  for (const { name, problem, message } of replies) {
    if (problem) reportNotice(context, noticeKinds.hookFailed, { hook: name, why: problem });
    if (message !== undefined) reportNotice(context, noticeKinds.hookMessage, { hook: name, message });
  }
  return replies;
}
