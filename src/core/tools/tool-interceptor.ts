import type { Tool } from "./tool.ts";

export type ToolOrigin = "builtin" | "server" | "user";

/** Stands between the tools and every check, limit and rule around them: an evaluation records their calls there, or replays them. */
export interface ToolInterceptor {
  /** Returns what is offered in place of all tools of one origin. The same tool gives the same object each time. */
  replaceTools(tools: readonly Tool[], origin: ToolOrigin): Tool[];
}
