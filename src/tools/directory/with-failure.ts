import { inspect } from "node:util";
import { failure, type Tool } from "../../core/tool.ts";
import { wrap } from "../define.ts";

/** Makes what a tool throws its failed result; only the end of the caller's signal is still thrown. */
export function withFailure(tool: Tool): Tool {
  return wrap(tool, async (args, context) => {
    try {
      return await tool.run(args, context);
    } catch (thrown) {
      context.signal.throwIfAborted();
      return failure("tool", wordsOf(thrown));
    }
  });
}

function wordsOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return typeof thrown === "string" ? thrown : inspect(thrown);
}
