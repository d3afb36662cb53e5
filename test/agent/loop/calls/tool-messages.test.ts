import { expect, onTestFinished, test } from "vitest";
import { createRunClock } from "../../../../src/agent/limits/run-clock.ts";
import type { Observation } from "../../../../src/agent/loop/calls/observe-call.ts";
import { toToolMessages } from "../../../../src/agent/loop/calls/tool-messages.ts";
import { openRun } from "../../../../src/agent/open-run.ts";
import { createRunRecord } from "../../../../src/agent/record/run-record.ts";
import { createFailure, type ToolResult } from "../../../../src/core/tools/tool.ts";
import { scriptedModel } from "../../../fakes/model.ts";
import { runOptions } from "../../../fakes/run.ts";

/** Opens a run in which no model decides any more. */
async function openEndedRun() {
  const model = scriptedModel([]);
  const { request, parts } = await runOptions({ models: { functionCall: model, answer: model } });
  const callerSignal = AbortSignal.abort();
  const clock = createRunClock({ limits: request.limits, spentMs: 0, callerSignal });
  onTestFinished(() => clock.clear());
  const record = createRunRecord({ clock, onFailure() {} });
  return openRun(request, parts, { question: request.question, clock, record, emit() {}, keepOutput() {} });
}

function observe(text: string, more: Partial<Observation> = {}, result: Partial<ToolResult> = {}): Observation {
  const call = { id: "1", name: "wipe", argumentsText: "{}", arguments: {} };
  const states = { ran: true, isRepeated: false, isOverLimit: false, isNews: true };
  return { call, result: { ...createFailure("tool", text), ...result }, text, images: [], ...states, ...more };
}

test("the next question calls a failure only what ran in the last one, and a refusal stays a word of the program", async () => {
  const run = await openEndedRun();
  const { marker } = run.input;
  const declined = { permission: { decision: "declined", rule: "tools.ask: wipe" } } as const;
  const denied = { permission: { decision: "denied", rule: "tools.deny: wipe" } } as const;
  const advised = "Not valid.\n\nCorrect the arguments and try again.";
  const read = toToolMessages(
    run,
    [
      observe("broken"),
      observe("Not run: the user did not agree to this call.", {}, declined),
      observe("Not allowed.", {}, denied),
      observe("The limit is reached.", { ran: false, isOverLimit: true }),
      observe("Out of time.", { ran: false }),
      observe(advised, { ran: false }),
    ],
    undefined,
  );
  const fence = (text: string): string => `<<<result ${marker}\n${text}\nresult ${marker}>>>`;
  expect(read.map(({ content }) => content)).toEqual([
    `This call failed:\n${fence("broken")}`,
    "Not run: the user did not agree to this call.",
    fence("Not allowed."),
    "The limit is reached.",
    fence("Out of time."),
    fence(advised),
  ]);
});
