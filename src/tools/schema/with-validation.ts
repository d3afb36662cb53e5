import { renderArgumentProblems } from "../../core/tools/argument-feedback.ts";
import { type ArgumentProblem, createFailure, type Tool } from "../../core/tools/tool.ts";
import { toDuetError } from "../../kit/errors.ts";
import type { JsonObject } from "../../kit/json.ts";
import { say } from "../../kit/locale.ts";
import { wrapTool } from "../define-tool.ts";
import type { ArgumentsCheck } from "./compile-schema.ts";
import { describeProblems } from "./schema-problems.ts";

/**
 * Checks the arguments against the tool's schema, then by the tool's own check, before it runs; what is wrong goes back to the
 * model, all at once. Nothing is repaired or filled in. The schema is compiled at the first call; a schema that cannot be used refuses every call.
 */
export function withValidation(tool: Tool): Tool {
  let compiled: Promise<ArgumentsCheck> | undefined;
  async function check(args: JsonObject): Promise<ArgumentProblem[]> {
    compiled ??= import("./compile-schema.ts").then(({ compileSchema }) => compileSchema(tool.inputSchema));
    const problems = describeProblems((await compiled)(args));
    return problems.length > 0 ? problems : ((await tool.check?.(args)) ?? []);
  }
  const checked = wrapTool(tool, async (args, context) => {
    try {
      const problems = await check(args);
      if (problems.length > 0)
        return createFailure("invalid_arguments", renderArgumentProblems(context.locale, problems));
    } catch (thrown) {
      return createFailure("tool", say(context.locale, toDuetError(thrown).text));
    }
    return tool.run(args, context);
  });
  return { ...checked, check };
}
