import { toInvalidArgumentsResult } from "../core/tools/argument-feedback.ts";
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
import type { JsonObject } from "../kit/json.ts";
import { say, type Text } from "../kit/locale.ts";
import { wrapTool } from "./create-tool.ts";

/** Holds the rules as the configuration's `tools` has them. */
export interface PermissionRules {
  /** When present, a call must match one of these patterns. */
  allow?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
  ask?: readonly string[] | undefined;
}

/** Says of a call whether it runs, or `ask`, and by which rule. */
export type PermissionCheck = (
  tool: Tool,
  args: JsonObject,
) => { decision: "allowed" | "denied" | "ask"; rule: string };

/**
 * Denies what matches `deny` or misses every pattern of `allow`, then asks about what matches `ask`, and allows the rest. `place` names the configuration section of the
 * rules.
 */
export function createPermissionCheck(
  { allow, deny = [], ask = [] }: PermissionRules,
  place = "tools",
): PermissionCheck {
  const [denials, questions] = [parseToolPatterns(deny), parseToolPatterns(ask)];
  const permits = allow && parsePermitPatterns(allow);
  return (tool, args) => {
    const describeRule = (setting: string, ...patterns: ToolPattern[]): string =>
      `${place}.${setting}: ${patterns.map(({ written }) => written).join(", ")}`;
    const denial = denials.find((pattern) => isMatchingCall(pattern, tool, args, "some"));
    if (denial) return { decision: "denied", rule: describeRule("deny", denial) };
    const permit = permits?.find((pattern) => isMatchingCall(pattern, tool, args, "every"));
    if (permits && !permit) return { decision: "denied", rule: `${place}.allow` };
    // All of them: who agreed to the calls of one rule has not agreed to what another asks about.
    const asked = questions.filter((pattern) => isMatchingCall(pattern, tool, args, "some"));
    if (asked.length > 0) return { decision: "ask", rule: describeRule("ask", ...asked) };
    if (tool.alwaysAsks) return { decision: "ask", rule: alwaysAsks };
    return { decision: "allowed", rule: permit ? describeRule("allow", permit) : `${place}.allow: *` };
  };
}

/** Names the rule of a tool that asks whatever is configured. */
const alwaysAsks = "always";

/**
 * Runs a call only as the rules and, where they want it, a person say; what they said stands in the result's `permission`.
 * A call whose arguments are wrong anyway is not asked about.
 */
export function withPermission(tool: Tool, checkPermission: PermissionCheck): Tool {
  // What always asks does so in here; rules round these need not ask again.
  const callLimits = tool.alwaysAsks ? { ...tool.callLimits, asks: true } : tool.callLimits;
  return wrapTool({ ...tool, alwaysAsks: undefined, callLimits }, async (args, context) => {
    const { decision, rule } = checkPermission(tool, args);
    if (decision === "denied") return describeRefusal(tool, { decision, rule }, context);
    if (decision === "allowed") return addPermission({ decision, rule }, await tool.run(args, context));
    const problems = (await tool.check?.(args)) ?? [];
    if (problems.length > 0) return toInvalidArgumentsResult(context.locale, problems);
    const onlyOnce = tool.alwaysAsks === true;
    const answer = await context.approve?.({ tool: tool.name, arguments: args, rule, onlyOnce });
    const permission: Permission = { decision: toDecision(answer), rule };
    const missing = describeMissingApproval(tool, permission, context.approve !== undefined);
    if (missing) context.notice("approval-missing", say(context.locale, missing));
    if (answer === "never")
      return { ...createFailure("denied", say(context.locale, describeDenial(tool))), permission };
    if (permission.decision !== "approved") return describeRefusal(tool, permission, context);
    return addPermission(permission, await tool.run(args, context));
  });
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

function describeRefusal({ name }: Tool, permission: Permission, { locale, approve }: ToolContext) {
  const text = say(locale, explainDecision(name, permission, approve !== undefined));
  return { ...createFailure("denied", text), permission };
}

/** Returns undefined where a person has decided. */
function describeMissingApproval(tool: Tool, { decision, rule }: Permission, canAsk: boolean): Text | undefined {
  if (decision === "dismissed") return describeDismissal(tool);
  if (decision !== "unanswered") return undefined;
  return canAsk ? describeTimeout(tool) : describeRemedy(tool, rule);
}

/** This text is for the reader, who has closed the dialog. */
function describeDismissal({ name }: Tool): Text {
  return {
    zh: `${name} 需要同意，但你关闭了对话框、没有作出选择，因此没有执行。`,
    en: `${name} needs consent and the question was dismissed without a decision, so it was not run.`,
  };
}

/** This text is for the reader, who was asked. */
function describeTimeout({ name }: Tool): Text {
  return {
    zh: `${name} 需要同意，而没有得到答复，所以没有执行。`,
    en: `${name} needs consent and got no answer, so it was not run.`,
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

function describeDenial({ name }: Tool): Text {
  return {
    zh: `用户拒绝了 ${name}，并且在这次对话中不再同意它的此类调用，没有执行。不要再调用它；请说明情况，或换一种方式。`,
    en: `The user has refused ${name}, and refuses all such calls of it in this conversation, so it was not run. Do not call it again; say so, or find another way.`,
  };
}

/** This text is for the model. `canAsk` is true where a person could have replied. */
function explainDecision(name: string, { decision, rule }: Permission, canAsk: boolean): Text {
  if (decision === "declined")
    return {
      zh: `用户没有同意这次 ${name} 调用，没有执行。不要再尝试同样的操作；请说明情况，或换一种方式。`,
      en: `The user did not agree to this call of ${name}, so it was not run. Do not try the same again; say so, or find another way.`,
    };
  if (decision === "dismissed")
    return {
      zh: `${name} 需要用户同意（规则 ${rule}），用户关闭了询问而没有作出决定，没有执行。请告诉用户这一步没有做。`,
      en: `${name} needs the user's consent (rule ${rule}), and the user dismissed the question without deciding, so it was not run. Tell the user that this was not done.`,
    };
  if (decision === "unanswered" && canAsk)
    return {
      zh: `${name} 需要用户同意（规则 ${rule}），而没有等到答复，没有执行。请告诉用户这一步没有做。`,
      en: `${name} needs the user's consent (rule ${rule}) and nobody replied, so it was not run. Tell the user that this was not done.`,
    };
  if (decision === "unanswered")
    return {
      zh: `${name} 需要用户同意（规则 ${rule}），但现在没有人可以询问，没有执行。请告诉用户这一步没有做。`,
      en: `${name} needs the user's consent (rule ${rule}) and nobody can be asked now, so it was not run. Tell the user that this was not done.`,
    };
  return {
    zh: `规则 ${rule} 不允许这次 ${name} 调用，没有执行。`,
    en: `The rule ${rule} does not allow this call of ${name}; it was not run.`,
  };
}
