import type { ArgumentProblem, Tool, ToolAnnotations, ToolContext, ToolResult } from "../core/tools/tool.ts";
import type { JsonObject, JsonSchema } from "../kit/json.ts";

export interface ToolSpecification {
  name: string;
  description: string;
  /** Is a JSON Schema whose root describes an object. */
  inputSchema: JsonSchema;
  annotations?: ToolAnnotations;
  annotationsFor?(args: JsonObject): ToolAnnotations;
  alwaysAsks?: boolean;
  /** Is `builtin` when absent. */
  source?: string;
  /** Checks what the schema cannot express. It runs once the arguments match the schema. */
  check?(args: JsonObject): Promise<ArgumentProblem[]>;
  run(args: JsonObject, context: ToolContext): Promise<ToolResult>;
}

export function defineTool(specification: ToolSpecification): Tool {
  return {
    name: specification.name,
    description: specification.description,
    inputSchema: specification.inputSchema,
    source: specification.source ?? "builtin",
    annotations: specification.annotations ?? {},
    annotationsFor: specification.annotationsFor,
    alwaysAsks: specification.alwaysAsks,
    check: specification.check,
    canRepeat: (args) => isHarmlessTwice(specification.annotationsFor?.(args) ?? specification.annotations ?? {}),
    run: (args, context) => specification.run(args, context),
  };
}

function isHarmlessTwice({ readOnly, destructive, idempotent }: ToolAnnotations): boolean {
  return (readOnly === true && destructive !== true) || idempotent === true;
}

/** Returns the same tool with another `run`. Every limit and check around a tool is built this way. */
export function wrapTool(tool: Tool, run: Tool["run"]): Tool {
  return { ...tool, run };
}

export function createSuccess(text: string): ToolResult {
  return { ok: true, text };
}
