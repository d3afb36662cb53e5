import type { Tool } from "../core/tools/tool.ts";
import {
  findFittingCalls,
  parsePermitPatterns,
  parseToolPatterns,
  type ToolPattern,
} from "../core/tools/tool-pattern.ts";
import type { Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";

export interface ToolPolicy {
  /**
   * Keeps only tools of which a call may match one of these patterns. All tools are kept when it is absent, and none when it is
   * empty.
   */
  allow?: readonly string[];
  /** Removes these tools whatever `allow` contains. A pattern with arguments denies calls and not the tool. */
  deny?: readonly string[];
}

export interface DroppedTool {
  name: string;
  source: string;
  reason: "bad-name" | "duplicate" | "denied" | "not-allowed" | "broken";
  text: Text;
  /** Is the tool itself, where rules alone have left it out. */
  tool?: Tool | undefined;
}

export interface Collection {
  tools: Tool[];
  dropped: DroppedTool[];
}

/** Joins lists of tools in their order. Of two tools with one name the first stays, so put the most trusted list first. */
export function collectTools(lists: readonly (readonly Tool[])[], policy: ToolPolicy = {}): Collection {
  return createCollector(policy)(lists);
}

/** Returns a function that joins lists as `collectTools` does, and judges each tool once: most questions have the same tools. */
export function createCollector(policy: ToolPolicy): (lists: readonly (readonly Tool[])[]) => Collection {
  const rules = {
    allow: policy.allow && parsePermitPatterns(policy.allow),
    deny: parseToolPatterns(policy.deny ?? []),
  };
  const judged = new WeakMap<Tool, Verdict>();

  function findVerdict(tool: Tool): Verdict {
    const known = judged.get(tool);
    if (known) return known;
    const verdict = { badName: refuseName(tool), byRule: refuseByRule(tool, rules) };
    judged.set(tool, verdict);
    return verdict;
  }

  return (lists) => {
    const kept = new Map<string, Tool>();
    const dropped: DroppedTool[] = [];
    for (const tool of lists.flat()) {
      const { badName, byRule } = findVerdict(tool);
      const refusal = badName ?? refuseSecond(tool, kept) ?? byRule;
      if (refusal === undefined) kept.set(tool.name, tool);
      else dropped.push({ name: tool.name, source: tool.source, ...refusal, ...(refusal === byRule && { tool }) });
    }
    return { tools: [...kept.values()], dropped };
  };
}

type Refusal = Pick<DroppedTool, "reason" | "text">;

interface Verdict {
  badName: Refusal | undefined;
  byRule: Refusal | undefined;
}

function refuseName({ name, source }: Tool): Refusal | undefined {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    const shown = sanitizeLine(name.slice(0, 80));
    const zh = `来自 ${source} 的工具名不合法："${shown}"（允许 1 到 64 个字母、数字、_ 或 -）`;
    const en = `The tool name "${shown}" from ${source} is not valid (1 to 64 letters, digits, _ or -).`;
    return { reason: "bad-name", text: { zh, en } };
  }
  return undefined;
}

function refuseSecond({ name, source }: Tool, kept: ReadonlyMap<string, Tool>): Refusal | undefined {
  const first = kept.get(name);
  if (first !== undefined) {
    const zh = `工具 ${name} 重名：保留来自 ${first.source} 的，忽略来自 ${source} 的`;
    const en = `The tool ${name} is defined twice: the one from ${first.source} is used, the one from ${source} is skipped.`;
    return { reason: "duplicate", text: { zh, en } };
  }
  return undefined;
}

function refuseByRule(
  tool: Tool,
  { allow, deny }: { allow: readonly ToolPattern[] | undefined; deny: readonly ToolPattern[] },
): Refusal | undefined {
  const { name } = tool;
  const denial = deny.find((pattern) => findFittingCalls(pattern, tool) === "all");
  if (denial !== undefined) {
    const text = {
      zh: `工具 ${name} 被规则 "${denial.written}" 禁用`,
      en: `The tool ${name} is denied by the pattern "${denial.written}".`,
    };
    return { reason: "denied", text };
  }
  if (allow === undefined || allow.some((pattern) => findFittingCalls(pattern, tool) !== "none")) return undefined;
  const text = { zh: `工具 ${name} 不在允许列表中`, en: `The tool ${name} matches none of the allowed patterns.` };
  return { reason: "not-allowed", text };
}
