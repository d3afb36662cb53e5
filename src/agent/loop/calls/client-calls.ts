import type { ClientReply, PendingCall } from "../../../core/client-tools.ts";
import type { UserMessage } from "../../../core/model/messages.ts";
import { createFailure, isOfClient, type ToolResult } from "../../../core/tools/tool.ts";
import { waitAbortable } from "../../../kit/async/timeout.ts";
import { say } from "../../../kit/locale.ts";
import { noResult } from "../../context/given-steps.ts";
import { getTotalUsage } from "../../limits/reached-limit.ts";
import { getDepth, type Run } from "../../run.ts";
import { changeInstruction } from "./client-instruction.ts";
import { toFailedResult } from "./unrun-results.ts";

/** Returns true where the model may call tools of the program that asks. */
export function hasClientTools({ services }: Pick<Run, "services">): boolean {
  return [...services.catalog.tools.values()].some(isOfClient);
}

/**
 * Hands the calls that are held to the program that asks, and settles them with its reply. Until then the time of the run stands
 * still. Never rejects: where the run is cancelled meanwhile, whoever waits for a call learns it by its own signal, and where the program
 * cannot be asked, the model reads why.
 */
export async function exchangeCalls(run: Run): Promise<void> {
  const { state, services, input } = run;
  const { client } = state;
  const held = client?.tools.takePending() ?? [];
  if (client === undefined || held.length === 0) return;
  const { callerSignal } = services.clock;
  const calls = held.map(({ call }) => call);
  let reply: ClientReply;
  try {
    reply = await services.clock.outsideTime(() => waitAbortable(client.call(calls, callerSignal), callerSignal));
  } catch (thrown) {
    const failure = callerSignal.aborted
      ? createFailure("cancelled", say(input.language, { zh: "已取消", en: "cancelled" }))
      : toFailedResult(input, thrown);
    for (const one of held) one.settle(failure);
    return;
  }
  renewLimits(run);
  applyReply(run, reply);
  for (const one of held) one.settle(toResult(one, reply, input.language));
}

function toResult({ call }: PendingCall, { results }: ClientReply, language: Run["input"]["language"]): ToolResult {
  const found = results.find(({ callId }) => callId === call.id);
  if (found === undefined) return createFailure("tool", say(language, noResult));
  const { text, isError, images } = found;
  return isError ? { ...createFailure("tool", text), images } : { ok: true, text, images };
}

/** Has the next turns work with what the program sent with its reply. */
function applyReply(run: Run, { tools, toolChoice, instruction, messages }: ClientReply): void {
  const { state, services } = run;
  const { client } = state;
  if (client === undefined) return;
  services.catalog.replaceClientTools(tools.tools);
  client.tools = tools;
  client.toolChoice = toolChoice;
  client.said = messages;
  state.delivered.push(...messages);
  changeInstruction(run, instruction);
}

/** Adds what the user has said beside the results, as messages after them. */
export function addClientMessages({ state }: Run): UserMessage[] {
  const said = state.client?.said ?? [];
  if (state.client === undefined || said.length === 0) return [];
  state.client.said = [];
  const messages = said.map((content): UserMessage => ({ role: "user", content }));
  const last = state.steps.at(-1);
  if (last) last.messages = [...(last.messages ?? []), ...messages];
  return messages;
}

/**
 * Gives the run its limits once more: the program that asks could as well have asked anew. Budgets of the conversation and the day
 * stay, and so do those of an agent above.
 */
function renewLimits({ input, state, services }: Run): void {
  if (getDepth(input) > 0) return;
  const { sources } = input.limits;
  const { tokens, cost, ...counts } = getTotalUsage(state);
  Object.assign(state.usedBefore, counts);
  if (sources?.tokenBudget === undefined) state.usedBefore.tokens = tokens;
  if (sources?.costBudget === undefined) state.usedBefore.cost = cost;
  services.clock.renew();
}
