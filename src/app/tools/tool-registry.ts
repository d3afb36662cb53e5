import type { Config } from "../../config/load-config.ts";
import type { Tool } from "../../core/tools/tool.ts";
import type { Collection } from "../../tools/collect-tools.ts";

/** What the process makes of the tools it finds: the built-in ones of each conversation, the checks and rules round all. */
export interface ToolRegistry {
  /** The tool inside its checks, limits and rules; always the same one for the same tool. */
  guard(tool: Tool): Tool;
  /** Made once a conversation, so that it is told once where its searches go, and remembers its pages. */
  builtins(conversation: object): Tool[];
  collect(lists: readonly (readonly Tool[])[]): Collection;
  /** What a question or a caller may use of the tools; where the patterns are about arguments, each call is judged by them too. */
  narrow(tools: readonly Tool[], allow: readonly string[], whose: "question" | "caller"): Tool[];
  close(): Promise<void>;
}

/** Imports what that takes: once, for an `import` costs something each time, also of what is there. */
export async function openToolRegistry({ tools: rules, locale, search, web, email }: Config): Promise<ToolRegistry> {
  const [
    { collectTools },
    { withValidation },
    { withOutputLimit },
    { createBuiltinTools },
    { createPermissionCheck, withPermission },
    { createHeavyWork },
  ] = await Promise.all([
    import("../../tools/collect-tools.ts"),
    import("../../tools/schema/with-validation.ts"),
    import("../../tools/tool-limits.ts"),
    import("../../tools/builtin/builtin-tools.ts"),
    import("../../tools/permission-rules.ts"),
    import("../../tools/workers/heavy-work.ts"),
  ]);
  const checkPermission = createPermissionCheck(rules);
  const work = createHeavyWork();
  const builtins = new WeakMap<object, Tool[]>();
  const guarded = new WeakMap<Tool, Tool>();

  return {
    guard(tool) {
      const inside = guarded.get(tool) ?? withPermission(withValidation(withOutputLimit(tool)), checkPermission);
      guarded.set(tool, inside);
      return inside;
    },
    builtins(conversation) {
      const known = builtins.get(conversation);
      if (known) return known;
      const searches = search.enabled === false ? undefined : search;
      const options = { roots: rules.roots, locale, search: searches, web, email, work };
      const made = createBuiltinTools(options).map((tool) => withPermission(tool, checkPermission));
      builtins.set(conversation, made);
      return made;
    },
    collect: (lists) => collectTools(lists, rules),
    narrow(tools, allow, whose) {
      const narrowed = collectTools([tools], { allow }).tools;
      if (!allow.some((pattern) => pattern.includes("("))) return narrowed;
      const narrower = createPermissionCheck({ allow }, whose);
      return narrowed.map((tool) => withPermission(tool, narrower));
    },
    close: () => work.close(),
  };
}
