import { toDuetError } from "../core/errors.ts";
import { say } from "../core/locale.ts";
import { failure, type Tool, type ToolResult } from "../core/tool.ts";
import type { ArgumentsCheck } from "./compile-schema.ts";
import { wrap } from "./define.ts";
import { argumentsFeedback } from "./feedback.ts";
import { describeProblems } from "./schema-problems.ts";

/**
 * Checks the arguments against the tool's schema before it runs; what is wrong goes back to the model, all at once. Nothing is
 * repaired or filled in. The schema is compiled at the first call; a schema that cannot be used refuses every call.
 */
export function withValidation(tool: Tool): Tool {
  let compiled: Promise<ArgumentsCheck> | undefined;
  return wrap(tool, async (args, context) => {
    const refuse = (thrown: unknown): ToolResult => failure("tool", say(context.locale, toDuetError(thrown).text));
    try {
      compiled ??= import("./compile-schema.ts").then(({ compileSchema }) => compileSchema(tool.inputSchema));
      const problems = (await compiled)(args);
      if (problems.length > 0) {
        const text = argumentsFeedback(context.locale, describeProblems(problems));
        return failure("invalid_arguments", text);
      }
    } catch (thrown) {
      return refuse(thrown);
    }
    return tool.run(args, context);
  });
}
