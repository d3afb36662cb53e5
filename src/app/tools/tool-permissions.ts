import type { Tool } from "../../core/tools/tool.ts";
import { findFittingCalls, parsePermitPatterns, parseToolPatterns } from "../../core/tools/tool-pattern.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Inventory } from "./tool-inventory.ts";

export const toolChoices = ["allow", "ask", "deny"] as const;

/** Says of a tool that its calls run, need consent, or never run. */
export type ToolChoice = (typeof toolChoices)[number];

/** Holds the three lists of the section `tools` of the configuration. */
export interface ToolLists {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** Says what the rules decide about a tool, as far as that is known before a call. */
export interface ToolPermission {
  choice: ToolChoice;
  /** Is the pattern that decides; undefined where none asks or denies, and where no pattern allows the tool. */
  rule: string | undefined;
  /** Is true where it depends on the arguments of a call whether the rule applies. */
  isForSomeCalls: boolean;
}

/** Lists the tools of the servers and our own, with those that the rules leave out. */
export function listRuledTools({ tools, dropped }: Inventory): Tool[] {
  return [...tools, ...dropped.flatMap(({ tool }) => tool ?? [])];
}

/** Returns what the lists decide about a tool, in the order in which a call is judged: `deny`, `allow`, `ask`, and what always asks. */
export function findPermission(tool: Tool, { allow, ask, deny }: ToolLists): ToolPermission {
  const findFit = (pattern: ReturnType<typeof parseToolPatterns>[number]) => findFittingCalls(pattern, tool);
  const denials = parseToolPatterns(deny);
  const denied = denials.find((pattern) => findFit(pattern) === "all");
  if (denied) return { choice: "deny", rule: denied.written, isForSomeCalls: false };
  const permits = parsePermitPatterns(allow);
  if (!permits.some((pattern) => findFit(pattern) !== "none"))
    return { choice: "deny", rule: undefined, isForSomeCalls: false };
  const questions = parseToolPatterns(ask);
  const asked = questions.find((pattern) => findFit(pattern) === "all");
  if (asked) return { choice: "ask", rule: asked.written, isForSomeCalls: false };
  if (isAlwaysAsking(tool)) return { choice: "ask", rule: undefined, isForSomeCalls: false };
  const some = [...denials, ...questions].find((pattern) => findFit(pattern) === "some");
  if (some) return { choice: denials.includes(some) ? "deny" : "ask", rule: some.written, isForSomeCalls: true };
  return { choice: "allow", rule: undefined, isForSomeCalls: false };
}

/** The rules that are put around a tool take its own mark away. */
function isAlwaysAsking({ alwaysAsks, callLimits }: Tool): boolean {
  return alwaysAsks === true || callLimits?.asks === true;
}

/**
 * Returns the lists with a choice for one tool, by its name. Throws a `config` error where a pattern for more than this tool, or
 * the tool itself, decides otherwise: such a pattern is changed in the settings, because it concerns other tools, too.
 */
export function chooseForTool(tool: Tool, choice: ToolChoice, lists: ToolLists): ToolLists {
  const { name } = tool;
  const removeName = (list: readonly string[]): string[] => list.filter((pattern) => pattern !== name);
  const bare = { allow: [...lists.allow], ask: removeName(lists.ask), deny: removeName(lists.deny) };
  const isPermitted = parsePermitPatterns(bare.allow).some((pattern) => findFittingCalls(pattern, tool) !== "none");
  const chosen: ToolLists = {
    allow: choice === "deny" || isPermitted ? bare.allow : [...bare.allow, name],
    ask: choice === "ask" ? [...bare.ask, name] : bare.ask,
    deny: choice === "deny" ? [...bare.deny, name] : bare.deny,
  };
  const { choice: reached, rule, isForSomeCalls } = findPermission(tool, chosen);
  if (reached !== choice && !isForSomeCalls) throw otherRuleError(tool, choice, { reached, rule });
  return chosen;
}

function otherRuleError(
  { name }: Tool,
  choice: ToolChoice,
  { reached, rule }: { reached: ToolChoice; rule: string | undefined },
): DuetError {
  const shown = rule === undefined ? "" : ` ${JSON.stringify(rule)}`;
  return new DuetError({
    code: "config",
    text:
      rule === undefined
        ? { zh: `${name} 不能是 ${choice}：它每次都需要同意`, en: `${name} cannot be ${choice}: it asks each time` }
        : {
            zh: `${name} 不能是 ${choice}：规则 tools.${reached}${shown} 也涉及它；请修改这条规则`,
            en: `${name} cannot be ${choice}: the rule tools.${reached}${shown} covers it, too; change that rule`,
          },
  });
}
