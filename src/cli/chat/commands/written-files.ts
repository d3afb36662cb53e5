import type { AgentTrace, TraceStep } from "../../../core/run/trace.ts";
import type { Tool } from "../../../core/tools/tool.ts";
import { isRecord } from "../../../kit/json.ts";

/** Names a file that a call may have written, with the step that made the call. */
export interface WrittenFile {
  file: string;
  tool: string;
  /** Is the number of the step in the trace of its run. */
  step: number;
  runId: string;
  question: string;
}

/**
 * Lists the files that the calls of these runs may have written: arguments that name a path, of calls that succeeded, by tools that say
 * that they change something or are called so. Nothing is known of what a tool does beside that.
 */
export function listWrittenFiles(traces: readonly AgentTrace[], tools: readonly Tool[]): WrittenFile[] {
  return traces.flatMap(({ run_id: runId, question, steps }) =>
    steps.flatMap((step) =>
      listPaths(step, tools).map((file) => ({ file, tool: step.action?.tool ?? "", step: step.step, runId, question })),
    ),
  );
}

function listPaths({ action, error }: TraceStep, tools: readonly Tool[]): string[] {
  if (action?.type !== "action" || error !== undefined || !canWrite(action.tool, tools) || !isRecord(action.args))
    return [];
  const named = Object.entries(action.args).filter(([key]) => pathKey.test(key));
  const texts = named.flatMap(([, value]) => (Array.isArray(value) ? value : [value]));
  return [...new Set(texts.filter((text) => typeof text === "string" && text !== ""))].map(String);
}

/** A tool that only reads may have a name like `update_summary`, so what it says comes first. */
function canWrite(name: string, tools: readonly Tool[]): boolean {
  const { readOnly } = tools.find((tool) => tool.name === name)?.annotations ?? {};
  return readOnly === undefined ? writingName.test(name) : !readOnly;
}

const writingName =
  /write|edit|create|save|append|move|rename|delete|remove|patch|replace|insert|copy|mkdir|upload|put/i;
const pathKey = /^(.*_)?(path|paths|file|files|filename|file_?path|destination|dest|source|target|output|to|from)$/i;
