import type { ToolCall } from "../../../core/model/messages.ts";
import { fillDefaults } from "../../../core/tools/fill-defaults.ts";
import { isOfClient } from "../../../core/tools/tool.ts";
import { isDeeperThan } from "../../../kit/json.ts";
import { redactValue } from "../../../kit/text/redact.ts";
import { endAsHooksSay } from "../../hooks/stop-run.ts";
import type { Run, RunInput } from "../../run.ts";
import { createCallAllowance } from "./call-allowance.ts";
import { exchangeCalls } from "./client-calls.ts";
import { createEventId, type Observation, observeCall, toRecord } from "./observe-call.ts";
import { toOverTurnLimitResult } from "./unrun-results.ts";

/** Limits the levels of a call's arguments. No known tool needs more, and whoever reads deeper ones may fail. */
const deepestArguments = 64;
/** Limits the calls of one turn. Further calls are refused without a notice to the reader. */
const mostCallsPerTurn = 50;

/**
 * Runs the calls of one turn side by side and answers in the order they were asked; once `allowed` of them were made, the
 * others are answered with a refusal. Throws only where a hook ends the run.
 */
export async function act(run: Run, calls: readonly ToolCall[], step: number, allowed: number): Promise<Observation[]> {
  const heard = toMadeCalls(run, calls);
  const observations: Observation[] = calls.map((call) => toRefusedObservation(run.input, call));
  const records = heard.map(toRecord);
  run.state.calls.push(...records);
  const sideBySide = Math.min(run.input.limits.maxParallel, heard.length);
  const allowance = createCallAllowance(run, allowed, sideBySide);
  const callIds = heard.map(({ id }) => createEventId(run.state, id));
  await run.services.record.intend(heard, { callIds, consentIds: listConsentIds(run, heard) });
  async function runOne(index: number): Promise<void> {
    const call = heard[index];
    const record = records[index];
    const callId = callIds[index];
    if (call && record && callId !== undefined)
      observations[index] = await observeCall(run, {
        call,
        callId,
        record,
        step,
        allowance,
      });
  }
  // The reply to the calls may bring other tools of the same names.
  const tools = heard.map(({ name }) => run.services.catalog.findTool(name));
  const own = [...tools.keys()].filter((index) => !isOfClient(tools[index]));
  let next = 0;
  async function runCalls(): Promise<void> {
    for (let index = own[next++]; index !== undefined; index = own[next++]) await runOne(index);
  }
  // What the asking program runs is held until all others are done: it gets the calls of a turn together.
  const outside = [...heard.keys()].filter((index) => !own.includes(index)).map(runOne);
  await Promise.all(Array.from({ length: sideBySide }, runCalls));
  if (outside.length > 0) await exchangeCalls(run);
  await Promise.all(outside);
  for (const [index, { result, ran }] of observations.entries()) {
    const tool = ran ? tools[index] : undefined;
    if (tool) run.state.sending.learn(tool, result);
  }
  endAsHooksSay(observations);
  return observations;
}

/** Returns the calls of a turn as they are made. */
function toMadeCalls(run: Run, calls: readonly ToolCall[]): ToolCall[] {
  return calls
    .slice(0, mostCallsPerTurn)
    .map(limitDepth)
    .map((call) => removeMarker(call, run.input.marker))
    .map((call) => withDefaults(run, call));
}

/** Lists the IDs of the calls that are not made before a person has agreed. Calls with the same ID all have to be. */
export function listConsentIds(run: Run, calls: readonly ToolCall[]): string[] {
  const isConsentNeeded = ({ name, arguments: args }: ToolCall): boolean =>
    args !== undefined && run.services.catalog.findTool(name)?.needsConsent?.(args, run.state) === true;
  const made = toMadeCalls(run, calls);
  const others = new Set(made.filter((call) => !isConsentNeeded(call)).map(({ id }) => id));
  return made.flatMap(({ id }) => (others.has(id) ? [] : [id]));
}

/** Arguments that are too deep to be walked through are treated as unreadable. */
function limitDepth(call: ToolCall): ToolCall {
  return isDeeperThan(call.arguments, deepestArguments) ? { ...call, arguments: undefined } : call;
}

/** A tool must not learn the marker of untrusted text: with it, it could end its own fence. */
function removeMarker(call: ToolCall, marker: string): ToolCall {
  const clean = (text: string): string => text.replaceAll(marker, "…");
  const [argumentsText, args] = [clean(call.argumentsText), redactValue(call.arguments, clean)];
  if (argumentsText === call.argumentsText && args === call.arguments) return call;
  return { ...call, argumentsText, arguments: args };
}

/** Returns the call as it is made: readers, rules and records see the defaults of fields that the model left out. */
function withDefaults(run: Run, call: ToolCall): ToolCall {
  const tool = run.services.catalog.findTool(call.name);
  if (tool === undefined || call.arguments === undefined) return call;
  return { ...call, arguments: fillDefaults(call.arguments, tool.inputSchema) };
}

function toRefusedObservation(input: RunInput, call: ToolCall): Observation {
  const result = toOverTurnLimitResult(input, mostCallsPerTurn);
  return {
    call,
    result,
    text: result.text,
    images: [],
    ran: false,
    isRepeated: false,
    isOverLimit: true,
    isNews: false,
  };
}
