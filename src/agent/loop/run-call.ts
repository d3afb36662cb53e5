import type { ToolCall } from "../../core/messages.ts";
import type { Tool, ToolResult } from "../../core/tools/tool.ts";
import { abortable } from "../../kit/async/timeout.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { Run } from "../run.ts";
import { type CallContext, openContext } from "./call-context.ts";
import { failed, overLimit, stopped, unknownTool, unreadableArguments } from "./skipped-call.ts";

/** How many calls of a turn may still run. */
export interface Allowance {
  /** How many that are. */
  readonly left: number;
  /** Whether one more may; it counts from then on. */
  take(): boolean;
  /** It did not run after all. */
  giveBack(): void;
}

export function createAllowance(allowed: number): Allowance {
  let left = allowed;
  return {
    get left() {
      return left;
    },
    take: () => left > 0 && left-- > 0,
    giveBack() {
      left += 1;
    },
  };
}

export interface Ran {
  result: ToolResult;
  /** Whether the call got as far as its tool, and that is one that counts. */
  ran: boolean;
  /** How long it waited for a person, in milliseconds; absent where it did not get that far. */
  waitedMs?: number;
  /** Whether the same call may be made once more. */
  mayRepeat?: boolean;
}

/** Runs a call that may run. Never throws. */
export async function runCall(run: Run, call: ToolCall, callId: string, allowance: Allowance): Promise<Ran> {
  const tool = run.offer.take(call.name);
  if (!tool) return { result: unknownTool(run, call.name), ran: false };
  if (call.arguments === undefined) return { result: unreadableArguments(run, call), ran: false };
  if (run.working.aborted) return { result: stopped(run), ran: false };
  // To find tools is no use of them.
  const counts = tool !== run.offer.finder;
  if (counts && !allowance.take()) return { result: overLimit(run), ran: false };
  const context = openContext(run, callId);
  const result = await runTool(run, tool, call.arguments, context);
  context.close();
  const isValid = result.error?.code !== "invalid_arguments";
  if (counts && !isValid) allowance.giveBack();
  return {
    result,
    ran: counts && isValid,
    waitedMs: context.waitedMs,
    mayRepeat: tool.canRepeat?.(call.arguments),
  };
}

/** Never throws. */
async function runTool(run: Run, tool: Tool, args: JsonObject, context: CallContext): Promise<ToolResult> {
  try {
    const result = await abortable(tool.run(args, context), run.working);
    if (result.usage) run.agentsBelow.add(tool.source, result.usage, context.lent);
    return result;
  } catch (thrown) {
    return run.working.aborted ? stopped(run) : failed(run, thrown);
  }
}
