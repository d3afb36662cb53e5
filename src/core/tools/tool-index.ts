import type { Tool } from "./tool.ts";

/** Many tools, to be found by what they are called and say of themselves. */
export interface ToolIndex {
  /** At most `limit` tools that fit the words, the best first; the same for the same words. */
  find(words: string, limit: number): FoundTool[];
}

export interface FoundTool {
  tool: Tool;
  /** From 0 to 1, and comparable between questions: 1 is the tool's own name. */
  score: number;
}
