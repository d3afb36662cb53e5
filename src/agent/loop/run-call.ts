import type { ToolCall } from "../../core/messages.ts";
import type { Tool, ToolResult } from "../../core/tools/tool.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { Run } from "../run.ts";
import { type CallContext, openCallContext } from "./call-context.ts";
import {
  toFailedResult,
  toOverLimitResult,
  toStoppedResult,
  toUnknownToolResult,
  toUnreadableArgumentsResult,
} from "./skipped-call.ts";

/** How many calls of a turn may still run. */
export interface CallAllowance {
  /** How many that are. */
  readonly left: number;
  /** Whether one more may; it counts from then on. */
  reserve(): boolean;
  /** It did not run after all. */
  release(): void;
}

export function createCallAllowance(allowed: number): CallAllowance {
  let left = allowed;
  return {
    get left() {
      return left;
    },
    reserve: () => left > 0 && left-- > 0,
    release() {
      left += 1;
    },
  };
}

export interface CallOutcome {
  result: ToolResult;
  /** Whether the call got as far as its tool, and that is one that counts. */
  ran: boolean;
  /** How long it waited for a person, in milliseconds; absent where it did not get that far. */
  waitedMs?: number;
  /** Whether the same call may be made once more. */
  mayRepeat?: boolean;
}

/** Runs a call that may run. Never throws. */
export async function runCall(
  run: Run,
  call: ToolCall,
  callId: string,
  allowance: CallAllowance,
): Promise<CallOutcome> {
  const tool = run.catalog.resolveTools(call.name);
  if (!tool) return { result: toUnknownToolResult(run, call.name), ran: false };
  if (call.arguments === undefined) return { result: toUnreadableArgumentsResult(run, call), ran: false };
  if (run.decideSignal.aborted) return { result: toStoppedResult(run), ran: false };
  // To find tools is no use of them.
  const counts = tool !== run.catalog.finder;
  if (counts && !allowance.reserve()) return { result: toOverLimitResult(run), ran: false };
  const context = openCallContext(run, callId);
  const result = await runTool(run, tool, call.arguments, context);
  context.close();
  const isValid = result.error?.code !== "invalid_arguments";
  if (counts && !isValid) allowance.release();
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
    const result = await waitAbortable(tool.run(args, context), run.decideSignal);
    if (result.usage) run.subAgents.add(tool.source, result.usage, context.lent);
    return result;
  } catch (thrown) {
    return run.decideSignal.aborted ? toStoppedResult(run) : toFailedResult(run, thrown);
  }
}
