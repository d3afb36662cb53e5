import type { ArgumentProblem, Tool, ToolAnnotations, ToolContext, ToolResult } from "../core/tools/tool.ts";
import type { JsonObject, JsonSchema } from "../kit/json.ts";

export interface ToolSpecification {
  name: string;
  description: string;
  /** A JSON Schema whose root describes an object. */
  inputSchema: JsonSchema;
  annotations?: ToolAnnotations;
  annotationsFor?(args: JsonObject): ToolAnnotations;
  alwaysAsks?: boolean;
  /** `builtin` when absent. */
  source?: string;
  /** What the schema cannot say; asked once the arguments fit it. */
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

/** The same tool with another way to run: what every limit and check round a tool is made of. */
export function wrapTool(tool: Tool, run: Tool["run"]): Tool {
  return { ...tool, run };
}

/** A successful result. */
export function createSuccess(text: string): ToolResult {
  return { ok: true, text };
}
