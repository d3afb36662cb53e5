import { createFailure, type Tool, type ToolContext, type ToolResult } from "../../core/tools/tool.ts";
import type { ToolInterceptor, ToolOrigin } from "../../core/tools/tool-interceptor.ts";
import type { JsonObject } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { findMismatch } from "../score-calls.ts";
import { toResult } from "./attempt-replay.ts";
import { toSortedJson } from "./plain-request.ts";
import type { Recording } from "./read-recording.ts";
import type { RecordedTool } from "./recording-schema.ts";

/** Makes the calls of one attempt, or has them made by `call`. */
export type MakeCall = (
  tool: Tool,
  args: JsonObject,
  call: () => Promise<ToolResult>,
  signal: AbortSignal,
) => Promise<ToolResult>;

/** Finds by the ID of a run who makes its calls. */
export type FindMaker = (runId: string | undefined) => MakeCall | undefined;

/** Passes the calls of each run to whoever makes them. `onTool` is told each tool that is offered. */
export function createCallInterceptor(
  findMaker: FindMaker,
  below: ToolInterceptor | undefined,
  onTool?: (tool: Tool, origin: ToolOrigin) => void,
): ToolInterceptor {
  const known = new WeakMap<Tool, Tool>();
  return {
    replaceTools(tools, origin) {
      return (below?.replaceTools(tools, origin) ?? tools).map((tool) => {
        onTool?.(tool, origin);
        const replaced = known.get(tool) ?? withMaker(tool, findMaker);
        known.set(tool, replaced);
        return replaced;
      });
    },
  };
}

function withMaker(tool: Tool, findMaker: FindMaker): Tool {
  return {
    ...tool,
    run(args, context) {
      const call = (): Promise<ToolResult> => tool.run(args, context);
      const make = findMaker(context.call?.runId);
      return make === undefined ? call() : make(tool, args, call, context.signal);
    },
  };
}

export function toRecordedTool(tool: Tool, origin: ToolOrigin): RecordedTool {
  const { name, description, inputSchema, outputSchema, source, annotations, alwaysAsks, dataFlow } = tool;
  return {
    ...{ name, description, inputSchema, source, origin, annotations },
    ...(outputSchema && { outputSchema }),
    ...(alwaysAsks && { alwaysAsks }),
    ...(dataFlow && { dataFlow }),
    ...(origin === "server" && tool.canRepeat?.({}) === true && { repeatable: true as const }),
  };
}

/** Answers the call of a recorded tool. `local` is the built-in tool of this name. */
type RunRecorded = (
  tool: RecordedTool,
  args: JsonObject,
  context: ToolContext,
  local: Tool | undefined,
) => Promise<ToolResult>;

/** Offers the recorded tools in place of all real ones. Their calls are answered by `run`. */
export function createToolReplacement(recorded: readonly RecordedTool[], run: RunRecorded): ToolInterceptor {
  const made = new Map<string, Tool>();
  return {
    replaceTools: (tools, origin) =>
      recorded
        .filter((each) => each.origin === origin)
        .map((each) => {
          // What a built-in tool says of single calls is code, which no recording holds.
          const local = origin === "builtin" ? tools.find(({ name }) => name === each.name) : undefined;
          const key = `${origin} ${each.name}`;
          const tool = made.get(key) ?? toTool(each, local, run);
          made.set(key, tool);
          return tool;
        }),
  };
}

function toTool(recorded: RecordedTool, local: Tool | undefined, run: RunRecorded): Tool {
  const { origin: _, repeatable, ...definition } = recorded;
  return {
    ...local,
    ...definition,
    ...(repeatable && { canRepeat: () => true }),
    run: (args, context) => run(recorded, args, context, local),
  };
}

/**
 * Offers the tools of a recording to models that are real. A call is answered where the recording has one with these arguments, or
 * one that asks for some of them alone; every other call fails with a text that says so. A built-in tool without any recorded call
 * runs itself where it has no effect and needs nothing from outside: nobody is asked before calls of recorded tools.
 */
export function createToolBook({ tools, calls, attempts }: Recording): ToolInterceptor {
  const ofAttempts = [...attempts.values()].flatMap(({ exchanges }) =>
    exchanges.flatMap((one) => (one.kind === "call" ? [one] : [])),
  );
  const exact = new Map(ofAttempts.map((one) => [`${one.tool} ${toSortedJson(one.arguments)}`, one]));
  const recorded = new Set([...calls, ...ofAttempts].map(({ tool }) => tool));
  return createToolReplacement(tools, async ({ name }, args, context, local) => {
    if (local !== undefined && !recorded.has(name) && isLocal(local)) return local.run(args, context);
    const known =
      exact.get(`${name} ${toSortedJson(args)}`) ??
      calls.find((one) => one.tool === name && findMismatch(one.arguments, args) === undefined);
    if (known !== undefined && "result" in known.reply) return toResult(known.reply.result);
    return createFailure("tool", say(context.locale, describeUnknownCall(name)));
  });
}

function isLocal({ annotations }: Tool): boolean {
  return annotations.readOnly === true && annotations.openWorld !== true;
}

function describeUnknownCall(name: string): Text {
  return {
    zh: `录制的工具中没有以这些参数对 ${name} 的调用`,
    en: `the recorded tools hold no call of ${name} with these arguments`,
  };
}
