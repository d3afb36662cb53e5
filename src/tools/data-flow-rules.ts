import type { DataFlow } from "../core/tools/data-flow.ts";
import type { Tool } from "../core/tools/tool.ts";
import { findFittingCalls, parsePermitPatterns, parseToolPatterns } from "../core/tools/tool-pattern.ts";

/** Holds the patterns as the configuration's `tools` has them. */
export interface DataFlowRules {
  /** Matches tools whose results are private. */
  private?: readonly string[] | undefined;
  /** Matches tools that send nothing out, whatever else is known of them. */
  local?: readonly string[] | undefined;
}

/** Returns the tool with what its calls do with data. `isOfServer` is true for a tool of a server. */
export type MarkDataFlow = (tool: Tool, isOfServer: boolean) => Tool;

/** A server may keep what it gets and send it on, whatever it says about its tools. */
const ofServers: DataFlow = { readsUntrusted: true, sendsOut: true };

export function createDataFlowRules({ private: secluded = [], local = [] }: DataFlowRules): MarkDataFlow {
  const [privatePatterns, localPatterns] = [parseToolPatterns(secluded), parsePermitPatterns(local)];
  return (tool, isOfServer) => {
    const known = tool.dataFlow ?? (isOfServer ? ofServers : toOwnDataFlow(tool));
    const isPrivate = privatePatterns.some((pattern) => findFittingCalls(pattern, tool) !== "none");
    const isLocal = localPatterns.some((pattern) => findFittingCalls(pattern, tool) === "all");
    if (known === tool.dataFlow && !isPrivate && !isLocal) return tool;
    const dataFlow: DataFlow = {
      ...known,
      ...(isPrivate ? { readsPrivate: true } : {}),
      ...(isLocal ? { sendsOut: false } : {}),
    };
    return { ...tool, dataFlow };
  };
}

/** Believes what the user's own tools say about themselves. */
function toOwnDataFlow({ annotations: { openWorld } }: Tool): DataFlow {
  return openWorld === true ? ofServers : {};
}
