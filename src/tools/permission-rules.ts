import { noticeKinds } from "../core/notices/notice-kinds.ts";
import { toInvalidArgumentsResult } from "../core/tools/argument-feedback.ts";
import { fillDefaults } from "../core/tools/fill-defaults.ts";
import { reportNotice } from "../core/tools/report-notice.ts";
import {
  type Approval,
  createFailure,
  type Permission,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../core/tools/tool.ts";
import {
  isMatchingCall,
  parsePermitPatterns,
  parseToolPatterns,
  type ToolPattern,
} from "../core/tools/tool-pattern.ts";
import { isRecord, type JsonObject } from "../kit/json.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { truncate } from "../kit/text/truncate.ts";
import { wrapTool } from "./create-tool.ts";

/** Holds the rules as the configuration's `tools` has them. */
export interface PermissionRules {
  /** When present, a call must match one of these patterns. */
  allow?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
  ask?: readonly string[] | undefined;
  /** Is true when a run that has read private data and untrusted text asks before a call sends text out. */
  askBeforeSending?: boolean | undefined;
  /** Is true where `ask` is the program's own choice, so that a hook may allow what it asks about. */
  mayHooksAllow?: boolean | undefined;
}

interface PermissionDecision {
  decision: "allowed" | "denied" | "ask";
  rule: string;
  /** Names the tools that read the private data which the call could send out; absent where that is not the question. */
  privateSources?: readonly string[] | undefined;
}

/** Says of a call whether it runs, or `ask`, and by which rule. */
export type PermissionCheck = (
  tool: Tool,
  args: JsonObject,
  context?: Pick<ToolContext, "sending" | "hook">,
) => PermissionDecision;

/**
 * Denies what matches `deny` or misses every pattern of `allow`, then asks about what matches `ask`, and allows the rest. `place`
 * names the configuration section of the rules. What a hook says is heard by the rules of the operator alone, after they have denied.
 */
export function createPermissionCheck(
  { allow, deny = [], ask = [], askBeforeSending = false, mayHooksAllow = false }: PermissionRules,
  place = operatorPlace,
): PermissionCheck {
  const [denials, questions] = [parseToolPatterns(deny), parseToolPatterns(ask)];
  const permits = allow && parsePermitPatterns(allow);
  return (tool, args, context) => {
    const describeRule = (setting: string, ...patterns: ToolPattern[]): string =>
      `${place}.${setting}: ${patterns.map(({ written }) => written).join(", ")}`;
    const denial = denials.find((pattern) => isMatchingCall(pattern, tool, args, "some"));
    if (denial) return { decision: "denied", rule: describeRule("deny", denial) };
    const permit = permits?.find((pattern) => isMatchingCall(pattern, tool, args, "every"));
    if (permits && !permit) return { decision: "denied", rule: `${place}.allow` };
    // All of them: who agreed to the calls of one rule has not agreed to what another asks about.
    const hook = place === operatorPlace ? context?.hook : undefined;
    const isAllowed = mayHooksAllow && hook?.decision === "allow";
    const asked = isAllowed ? [] : questions.filter((pattern) => isMatchingCall(pattern, tool, args, "some"));
    const isHookAsking = hook?.decision === "ask";
    // Who is asked each time sees what each call sends.
    const canLeave = askBeforeSending && tool.dataFlow?.sendsOut === true && !tool.alwaysAsks;
    const privateSources = canLeave ? context?.sending?.needsConsent() : undefined;
    if (asked.length > 0 || privateSources || isHookAsking) {
      const rules = [
        ...(isHookAsking ? [hook.rule] : []),
        ...(asked.length > 0 ? [describeRule("ask", ...asked)] : []),
        ...(privateSources ? [`${place}.askBeforeSending`] : []),
      ];
      return { decision: "ask", rule: rules.join("; "), privateSources };
    }
    if (tool.alwaysAsks) return { decision: "ask", rule: alwaysAsks };
    if (isAllowed) return { decision: "allowed", rule: hook.rule };
    return { decision: "allowed", rule: permit ? describeRule("allow", permit) : `${place}.allow: *` };
  };
}

/** Names the section of the operator's own rules. */
const operatorPlace = "tools";

/** Names the rule of a tool that asks whatever is configured. */
const alwaysAsks = "always";

/**
 * Runs a call only as the rules and, where they want it, a person say; what they said stands in the result's `permission`.
 * A call whose arguments are wrong anyway is not asked about.
 */
export function withPermission(tool: Tool, checkPermission: PermissionCheck): Tool {
  // What always asks does so in here; rules round these need not ask again.
  const callLimits = tool.alwaysAsks ? { ...tool.callLimits, asks: true } : tool.callLimits;
  const isConsentNeeded: Tool["needsConsent"] = (given, context) => {
    const { decision, privateSources } = checkPermission(tool, fillDefaults(given, tool.inputSchema), context);
    if (decision === "allowed") return tool.needsConsent?.(given, context) ?? false;
    // Of several calls that send, a yes to one is enough.
    return privateSources === undefined;
  };
  const guarded = { ...tool, alwaysAsks: undefined, callLimits, needsConsent: isConsentNeeded };
  return wrapTool(guarded, async (given, context) => {
    // Rules and people judge the call as it is made.
    const args = fillDefaults(given, tool.inputSchema);
    const { decision, rule, privateSources } = checkPermission(tool, args, context);
    if (decision === "denied") return toRefusedResult(tool, { decision, rule }, context);
    if (decision === "allowed") return addPermission({ decision, rule }, await tool.run(args, context));
    const problems = (await tool.check?.(args)) ?? [];
    if (problems.length > 0) return toInvalidArgumentsResult(context.locale, problems);
    const answer = await askPerson(tool, args, { rule, privateSources }, context);
    const instead = getInstead(answer);
    const permission: Permission = { decision: toDecision(answer), rule, ...(instead !== undefined && { instead }) };
    const missing = describeMissingApproval(tool, { ...permission, privateSources }, context.approve !== undefined);
    if (missing) reportNotice(context, noticeKinds.approvalMissing, missing);
    if (permission.decision !== "approved")
      return toRefusedResult(tool, { ...permission, isForGood: answer === "never" }, context);
    return addPermission(permission, await tool.run(args, context));
  });
}

/** A program of somebody else's may answer anything. */
function getInstead(answer: unknown): string | undefined {
  return isRecord(answer) && typeof answer.instead === "string" ? answer.instead : undefined;
}

/** Returns undefined where nobody can be asked, or nobody answers. */
async function askPerson(
  { name, alwaysAsks: onlyOnce = false }: Tool,
  args: JsonObject,
  { rule, privateSources }: Pick<PermissionDecision, "rule" | "privateSources">,
  { approve, sending, locale, hook }: ToolContext,
): Promise<Approval | undefined> {
  if (approve === undefined) return undefined;
  const isHookAsking = hook?.decision === "ask";
  const said = isHookAsking ? hook.reason : undefined;
  const request = { tool: name, arguments: args, rule, onlyOnce: onlyOnce || isHookAsking };
  if (privateSources === undefined || sending === undefined)
    return approve({ ...request, ...(said && { reason: said }) });
  const reason = [said, say(locale, describeSending(name, privateSources))].filter(Boolean).join(" ");
  return sending.ask(() => approve({ ...request, reason }));
}

/** This text is for the person who is asked. */
function describeSending(name: string, privateSources: readonly string[]): Text {
  const sources = sanitizeLine(privateSources.join(", "));
  return {
    zh: `这次运行读过私有数据（${sources}）和不可信的文本，而 ${name} 会把上面的参数发出去。同意后，这次运行中后面的调用也可以向外发送。`,
    en: `This run has read private data (${sources}) and untrusted text, and ${name} sends the arguments above out. After a yes, later calls of this run may send text out, too.`,
  };
}

/** Keeps an existing permission, because the innermost rules take precedence when rules are nested. */
function addPermission(permission: Permission, result: ToolResult): ToolResult {
  return result.permission ? result : { ...result, permission };
}

function toDecision(answer: Approval | undefined): "approved" | "declined" | "dismissed" | "unanswered" {
  if (answer === undefined) return "unanswered";
  if (answer === "dismissed") return "dismissed";
  return answer === "once" || answer === "conversation" ? "approved" : "declined";
}

interface Refusal extends Permission {
  /** Is true when a person refuses all such calls of the conversation. */
  isForGood?: boolean;
}

function toRefusedResult({ name }: Tool, refusal: Refusal, { locale, approve }: ToolContext): ToolResult {
  const { decision, rule, instead } = refusal;
  const canAsk = approve !== undefined;
  const shown = say(locale, describeOutcome(name, refusal, canAsk));
  if (instead !== undefined)
    return toRedirectedResult(instead, { refused: shown, permission: { decision, rule, instead }, locale });
  const text = say(locale, explainDecision(name, refusal, canAsk));
  return { ...createFailure("denied", text), shown, permission: { decision, rule } };
}

/** What the person wants instead is theirs to say, so the model may follow it. */
function toRedirectedResult(
  instead: string,
  { refused, permission, locale }: { refused: string; permission: Permission; locale: Locale },
): ToolResult {
  const words = truncate(sanitizeLine(instead), 500);
  const shown = refused + say(locale, { zh: `改为：${words}`, en: ` Instead: ${words}` });
  const text = say(locale, {
    zh: `没有执行：用户没有同意这次调用，并说明了应当怎么做：${instead}`,
    en: `Not run: the user did not agree to this call, and says what to do instead: ${instead}`,
  });
  return { ...createFailure("denied", text), kind: "instruction", shown, permission };
}

/** Returns undefined where a person has decided. */
function describeMissingApproval(
  tool: Tool,
  { decision, rule, privateSources }: Permission & Pick<PermissionDecision, "privateSources">,
  canAsk: boolean,
): Text | undefined {
  if (decision === "dismissed") return describeDismissal(tool);
  if (decision !== "unanswered") return undefined;
  if (canAsk) return describeTimeout(tool);
  return privateSources ? describeSendingRemedy(tool, privateSources) : describeRemedy(tool, rule);
}

/** This text is for the reader, who has closed the dialog. */
function describeDismissal({ name }: Tool): Text {
  return {
    zh: `${name} 需要同意，但你关闭了对话框，没有作出选择，所以没有执行。`,
    en: `${name} needs consent and the question was dismissed without a decision, so it was not run.`,
  };
}

/** This text is for the reader, who was asked. */
function describeTimeout({ name }: Tool): Text {
  return {
    zh: `${name} 需要同意，而没有得到有效的答复，所以没有执行。`,
    en: `${name} needs consent and got no valid answer, so it was not run.`,
  };
}

/** This text is for the reader, who can change the rules. */
function describeRemedy({ name, alwaysAsks: always }: Tool, rule: string): Text {
  if (always)
    return {
      zh: `${name} 每次都需要同意，而这里没有人可以询问，所以没有执行。请在终端对话中使用它。`,
      en: `${name} needs consent each time and nobody can be asked here, so it was not run. Use it in the terminal chat.`,
    };
  return {
    zh: `${name} 需要同意（规则 ${rule}），而这里没有人可以询问，所以没有执行。可以在终端对话中使用它，或修改 tools.ask。`,
    en: `${name} needs consent (rule ${rule}) and nobody can be asked here, so it was not run. Use it in the terminal chat, or change tools.ask.`,
  };
}

/** This text is for the reader, who can change the rules. */
function describeSendingRemedy({ name }: Tool, privateSources: readonly string[]): Text {
  const sources = privateSources.join(", ");
  return {
    zh: `${name} 会把文本发出去，而这次运行读过私有数据（${sources}）和不可信的文本；这里没有人可以询问，所以没有执行。可以在终端对话中使用它，把不向外发送的工具写进 tools.local，或把 tools.askBeforeSending 设为 false。`,
    en: `${name} sends text out, this run has read private data (${sources}) and untrusted text, and nobody can be asked here, so it was not run. Use it in the terminal chat, name tools that send nothing out in tools.local, or set tools.askBeforeSending to false.`,
  };
}

const noOtherWay: Text = { zh: "不要用别的工具达到同样的目的。", en: "Do not reach the same end with another tool." };

/** Returns the text for the model. `canAsk` is true where a person could have replied. */
function explainDecision(name: string, refusal: Refusal, canAsk: boolean): Text {
  if (refusal.decision === "denied") return describeRule(name, refusal.rule);
  const { zh, en } = explainRefusal(refusal, canAsk);
  return { zh: `没有执行：${zh}。${noOtherWay.zh}`, en: `Not run: ${en}. ${noOtherWay.en}` };
}

function explainRefusal({ decision, isForGood }: Refusal, canAsk: boolean): Text {
  if (isForGood)
    return {
      zh: "用户拒绝了它，并且在这次对话中不再同意此类调用，不要再调用它",
      en: "the user has refused it, and refuses all such calls in this conversation; do not call it again",
    };
  if (decision === "declined") return { zh: "用户没有同意这次调用", en: "the user did not agree to this call" };
  if (decision === "dismissed")
    return {
      zh: "它需要用户同意，而用户关闭了询问，没有作出决定",
      en: "it needs the user's consent, and the user dismissed the question without deciding",
    };
  if (canAsk)
    return { zh: "它需要用户同意，而没有等到有效的答复", en: "it needs the user's consent, and no valid reply came" };
  return {
    zh: "它需要用户同意，而现在没有人可以询问",
    en: "it needs the user's consent, and nobody can be asked now",
  };
}

/** Returns the text for people in place of what the model reads. */
function describeOutcome(name: string, { decision, rule, isForGood }: Refusal, canAsk: boolean): Text {
  if (isForGood)
    return {
      zh: `没有执行：用户在这次对话中不同意 ${name} 的此类调用。`,
      en: `Not run: the user refuses such calls of ${name} in this conversation.`,
    };
  if (decision === "declined")
    return {
      zh: `没有执行：用户没有同意这次 ${name} 调用。`,
      en: `Not run: the user did not agree to this call of ${name}.`,
    };
  if (decision === "dismissed")
    return {
      zh: `没有执行：${name} 需要同意（规则 ${rule}），询问被关闭，没有作出决定。`,
      en: `Not run: ${name} needs consent (rule ${rule}), and the question was closed without a decision.`,
    };
  if (decision === "denied") return describeRule(name, rule);
  if (canAsk)
    return {
      zh: `没有执行：${name} 需要同意（规则 ${rule}），没有得到有效的答复。`,
      en: `Not run: ${name} needs consent (rule ${rule}), and no valid reply came.`,
    };
  return {
    zh: `没有执行：${name} 需要同意（规则 ${rule}），而这里没有人可以询问。`,
    en: `Not run: ${name} needs consent (rule ${rule}), and nobody can be asked here.`,
  };
}

function describeRule(name: string, rule: string): Text {
  return {
    zh: `规则 ${rule} 不允许这次 ${name} 调用，没有执行。`,
    en: `The rule ${rule} does not allow this call of ${name}; it was not run.`,
  };
}
