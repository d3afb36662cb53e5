import type { ToolWeightCache } from "../../agent/tools/catalog-weight.ts";
import type { ToolFinder } from "../../agent/tools/tool-catalog.ts";
import type { Config } from "../../config/config.ts";
import type { Tool, ToolIndex } from "../../core/tools/tool.ts";
import { createOnce } from "../../kit/async/once.ts";
import type { Session } from "../conversations/sessions.ts";

/** Holds what all questions share to search among tools: the size of each tool, and the index over all. */
export interface ToolSearch {
  readonly weights: ToolWeightCache;
  /**
   * Opens the search for one question of a conversation, whose session remembers the loaded tools. Tools that the question allows
   * by their own name are offered.
   */
  open(session: Session, allowed?: readonly string[]): Promise<ToolFinder>;
}

/**
 * Names built-in tools that few questions need. `echo` tests connections. What `context` tells is in the prompts, and
 * `health_check` is found where tools are searched.
 */
const unoffered = { never: ["echo"], found: ["context", "health_check"] };

/** Limits how many sets of tools have an index. Questions that allow other tools have other sets. */
const mostIndexes = 4;

/** Holds the rules that decide what a search may offer. */
export type SearchRules = Pick<Config["tools"], "allow" | "deny" | "ask" | "searchAbove">;

export function createToolSearch({ tools: rules }: { tools: SearchRules }): ToolSearch {
  const weights: ToolWeightCache = new WeakMap();
  const parts = createOnce(async () => {
    const [{ createToolIndex }, { collectTools }, { createPermissionCheck, withPermission }, { withValidation }] =
      await Promise.all([
        import("../../tools/find/tool-index.ts"),
        import("../../tools/collect-tools.ts"),
        import("../../tools/permission-rules.ts"),
        import("../../tools/schema/with-validation.ts"),
      ]);
    // What a user allows are tools to work with; to find them among those is part of that.
    const { deny, ask } = rules;
    const checkPermission = createPermissionCheck({ deny, ask });
    const guard = (tool: Tool): Tool | undefined => {
      const [allowed] = collectTools([[tool]], { deny }).tools;
      return allowed && withPermission(withValidation(allowed), checkPermission);
    };
    return { guard, index: cacheIndexes(createToolIndex) };
  });
  return {
    weights,
    async open({ loaded }, allowed = []) {
      const named = new Set([...allowed, ...rules.allow]);
      const listUnnamed = (names: readonly string[]) => new Set(names.filter((name) => !named.has(name)));
      const { never, found } = unoffered;
      return {
        share: rules.searchAbove,
        weights,
        loaded,
        unoffered: { never: listUnnamed(never), found: listUnnamed(found) },
        ...(await parts.get()),
      };
    },
  };
}

/** Makes an index over a set of tools once, when it is first searched. */
function cacheIndexes(create: (tools: readonly Tool[]) => ToolIndex): ToolFinder["index"] {
  let kept: { tools: readonly Tool[]; index: ToolIndex }[] = [];
  return (tools) => {
    const known = kept.find((each) => isSame(each.tools, tools)) ?? { tools, index: create(tools) };
    kept = [known, ...kept.filter((each) => each !== known)].slice(0, mostIndexes);
    return known.index;
  };
}

function isSame(one: readonly Tool[], other: readonly Tool[]): boolean {
  return one.length === other.length && one.every((tool, at) => tool === other[at]);
}
