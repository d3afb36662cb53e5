import type { DataFlow } from "../core/tools/data-flow.ts";
import type { ArgumentProblem, Source, Tool, ToolAnnotations, ToolContext, ToolResult } from "../core/tools/tool.ts";
import type { JsonObject, JsonSchema } from "../kit/json.ts";

export interface ToolSpecification {
  name: string;
  description: string;
  /** Is a JSON Schema whose root describes an object. */
  inputSchema: JsonSchema;
  annotations?: ToolAnnotations;
  annotationsFor?(args: JsonObject): ToolAnnotations;
  alwaysAsks?: boolean;
  /** Names where the tool comes from: `builtin`, `user`, `skills`, or a server. */
  source: string;
  /** Checks what the schema cannot express. It runs once the arguments match the schema. */
  check?(args: JsonObject): Promise<ArgumentProblem[]>;
  run(args: JsonObject, context: ToolContext): Promise<ToolResult>;
}

/** Creates a tool that comes with the program. Its row in `builtin-tools.ts` says what its calls do. */
export function createBuiltinTool(specification: Omit<ToolSpecification, "source">): Tool {
  return createTool({ ...specification, source: "builtin" });
}

const noAnnotations: ToolAnnotations = Object.freeze({});

export function createTool(specification: ToolSpecification): Tool {
  return {
    name: specification.name,
    description: specification.description,
    inputSchema: specification.inputSchema,
    source: specification.source,
    annotations: specification.annotations ?? noAnnotations,
    annotationsFor: specification.annotationsFor,
    alwaysAsks: specification.alwaysAsks,
    check: specification.check,
    // Each conversation sets these in a copy of the tool, which takes less memory where the original has the property.
    callLimits: undefined,
    needsConsent: undefined,
    dataFlow: undefined,
    canRepeat: isRepeatable,
    run: (args, context) => specification.run(args, context),
  };
}

/** Follows the tool's annotations. All tools share it: each conversation copies them, and a closure in each copy took memory. */
function isRepeatable(this: Tool, args: JsonObject): boolean {
  const { readOnly, destructive, idempotent } = this.annotationsFor?.(args) ?? this.annotations;
  return (readOnly === true && destructive !== true) || idempotent === true;
}

/** Returns the same tool, known to do what these annotations say as long as its arguments do not say otherwise. */
export function annotateTool(tool: Tool, more: ToolAnnotations, dataFlow?: DataFlow): Tool {
  const annotations = tool.annotations === noAnnotations ? more : { ...tool.annotations, ...more };
  return { ...tool, annotations, dataFlow, canRepeat: isRepeatable };
}

/** Returns the same tool with another `run`. Every limit and check around a tool is built this way. */
export function wrapTool(tool: Tool, run: Tool["run"]): Tool {
  return { ...tool, run };
}

export function createSuccess(text: string): ToolResult {
  return { ok: true, text };
}

/** Returns a text that comes from one file and begins with its name. An answer can cite the file. */
export function createFileResult(text: string, source: Source): ToolResult {
  return { ...createSuccess(text), kind: "file", sources: [source] };
}
