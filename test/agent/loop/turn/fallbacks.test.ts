import { describe, expect, test } from "vitest";
import type { Models } from "../../../../src/agent/run.ts";
import { toPlainText } from "../../../../src/core/model/message-content.ts";
import { type Model, noUsage, replaceStream } from "../../../../src/core/model/model.ts";
import type { AgentEvent } from "../../../../src/core/run/events.ts";
import { DuetError, type ErrorCode } from "../../../../src/kit/errors.ts";
import { outcomeOf } from "../../../fakes/events.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel, withoutDay } from "../../../fakes/model.ts";
import { runAll } from "../../../fakes/run.ts";

const failing = (code: ErrorCode, text: string = code): { error: DuetError } => ({
  error: new DuetError({ code, text: { zh: text, en: text } }),
});

/** One model plays both roles; the others take over from it. */
function alone(first: Model, ...fallbacks: Model[]): Models {
  return { functionCall: first, answer: first, fallbacks: { functionCall: fallbacks, answer: fallbacks } };
}

/** Each phase with the model that it was of and how it ended. */
function phasesOf(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "phase-end" ? [`${event.phase} ${event.model.slice(5)} ${event.error ?? "ok"}`] : [],
  );
}

const takeoversOf = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) => (event.type === "notice" && event.code === "model-fallback" ? [event.message] : []));

const asked = (model: ScriptedModel): number => model.requests.length;

describe("a fallback model", () => {
  test.each(["overloaded", "rate_limit", "quota", "server", "network", "timeout", "context_overflow"] as const)(
    "takes over after %s, in a phase of its own, with a notice and a bill for each model",
    async (code) => {
      const first = scriptedModel([failing(code)], "first");
      const events = await runAll({ models: alone(first, scriptedModel(["Here."], "second")) });
      expect(phasesOf(events)).toEqual([`decide first ${code}`, "decide second ok"]);
      expect(takeoversOf(events)).toEqual([`fake/first failed, the fallback model fake/second takes over: ${code}`]);
      const reasons = events.flatMap((event) => (event.type === "phase-start" ? [event.reason] : []));
      expect(reasons.map((reason) => reason.endsWith(" · in place of fake/first"))).toEqual([false, true]);
      const { meta, ...outcome } = outcomeOf(events);
      expect(outcome).toMatchObject({ status: "complete", response: "Here.", error: null });
      expect(meta.models.function_call).toMatchObject({
        ...{ model: "first", calls: 2, input_tokens: 10 },
        by_model: [
          { model: "first", calls: 1, input_tokens: 0, cost_usd: null },
          { model: "second", calls: 1, input_tokens: 10 },
        ],
      });
    },
  );

  test.each(["auth", "invalid_request", "content_filter", "bad_response", "internal"] as const)(
    "does not take over after %s, which is no outage",
    async (code) => {
      const second = scriptedModel(["Here."], "second");
      const events = await runAll({ models: alone(scriptedModel([failing(code)], "first"), second) });
      expect(outcomeOf(events)).toMatchObject({ status: "failed", error: { code } });
      expect([asked(second), takeoversOf(events)]).toEqual([0, []]);
    },
  );

  test("does not take over from a model that has begun to answer", async () => {
    const second = scriptedModel(["Here."], "second");
    const first = scriptedModel([{ text: "Half of it", ...failing("network") }], "first");
    const events = await runAll({ models: alone(first, second) });
    expect(outcomeOf(events)).toMatchObject({ status: "partial", response: "Half of it", error: { code: "network" } });
    expect(asked(second)).toBe(0);
  });

  test("passes on to the next, whatever its own fault, and when all fail the error is that of the first", async () => {
    const events = await runAll({
      models: alone(
        scriptedModel([failing("overloaded", "the first is busy")], "first"),
        scriptedModel([failing("invalid_request", "the second refuses")], "second"),
        scriptedModel([failing("server", "the third is down")], "third"),
      ),
    });
    expect(phasesOf(events)).toEqual([
      "decide first overloaded",
      "decide second invalid_request",
      "decide third server",
    ]);
    expect(outcomeOf(events)).toMatchObject({
      status: "failed",
      error: { code: "overloaded", message: "the first is busy" },
    });
  });

  test("goes on for the rest of the run, and each model is asked in vain once", async () => {
    const call: ScriptedTurn = [{ id: "1", name: "nothing_like_this", input: {} }];
    const first = scriptedModel([failing("quota")], "first");
    const second = scriptedModel([call, "Here."], "second");
    const events = await runAll({ models: alone(first, second) });
    expect(phasesOf(events)).toEqual(["decide first quota", "decide second ok", "decide second ok"]);
    expect(asked(first)).toBe(1);
  });

  test("of the answer is asked before the other model stands in, which is not asked again where it has failed itself", async () => {
    const cheap = scriptedModel(["Enough.", "never asked"], "cheap");
    const strong = scriptedModel([failing("overloaded", "strong is busy")], "strong");
    const spare = scriptedModel([failing("network", "spare is away")], "spare");
    const models = { functionCall: cheap, answer: strong, fallbacks: { functionCall: [], answer: [spare, cheap] } };
    const events = await runAll({ models });
    expect(phasesOf(events)).toEqual([
      "decide cheap ok",
      "answer strong overloaded",
      "answer spare network",
      "answer cheap ok",
    ]);
    const failed = scriptedModel(["Enough.", failing("server")], "cheap");
    const again = await runAll({
      models: {
        functionCall: failed,
        answer: scriptedModel([failing("overloaded", "strong is busy")], "strong"),
        fallbacks: { functionCall: [], answer: [failed] },
      },
    });
    expect(phasesOf(again)).toEqual(["decide cheap ok", "answer strong overloaded", "answer cheap server"]);
    expect(outcomeOf(again)).toMatchObject({ status: "failed", error: { message: "strong is busy" } });
  });

  test("whose key was refused in the run is not tried, and neither is another with that key", async () => {
    const withKey = (model: ScriptedModel, keyName: string): ScriptedModel => Object.assign(model, { keyName });
    const second = withKey(scriptedModel([failing("auth")], "second"), "KEY_B");
    const third = withKey(scriptedModel(["never asked"], "third"), "KEY_B");
    const fourth = withKey(scriptedModel(["Here."], "fourth"), "KEY_C");
    const events = await runAll({ models: alone(scriptedModel([failing("server")], "first"), second, third, fourth) });
    expect(phasesOf(events)).toEqual(["decide first server", "decide second auth", "decide fourth ok"]);
    expect(asked(third)).toBe(0);
    expect(takeoversOf(events).map((message) => /model (\S+) takes/.exec(message)?.[1])).toEqual([
      "fake/second",
      "fake/fourth",
    ]);
  });

  test("that reads more gets a request which the first would have to cut, whole", async () => {
    const question = `Begin ${"word ".repeat(8000)}end`;
    const narrow = Object.assign(scriptedModel(["never asked"], "narrow"), { contextWindow: 4000 });
    const small = Object.assign(scriptedModel(["never asked"], "small"), { contextWindow: 2000 });
    const wide = Object.assign(scriptedModel(["Read."], "wide"), { contextWindow: 200_000 });
    const events = await runAll({ models: alone(narrow, small, wide), question });
    expect(phasesOf(events)).toEqual(["decide narrow context_overflow", "decide wide ok"]);
    expect(withoutDay(toPlainText(wide.requests[0]?.messages.at(-1)?.content ?? "", "en"))).toBe(question);
    expect([asked(narrow), asked(small)]).toEqual([0, 0]);
  });

  test("is not begun once the run is cancelled, its time is over or its budget is used up", async () => {
    const stop = new AbortController();
    const second = scriptedModel(["never asked"], "second");
    const first = scriptedModel([{ hang: true }], "first");
    const run = runAll({ models: alone(first, second), signal: stop.signal });
    stop.abort(new Error("stop"));
    expect(outcomeOf(await run)).toMatchObject({ status: "cancelled" });
    const slow = scriptedModel([{ hang: true }, { hang: true }], "first");
    const late = await runAll({ models: alone(slow, second), limits: { maxExecutionTimeMs: 100 } });
    expect(outcomeOf(late)).toMatchObject({ status: "failed", stop_reason: "time_limit" });
    // A failed attempt that reached the model is charged.
    const usage = { ...noUsage, inputTokens: 90, outputTokens: 40 };
    const dear = replaceStream(first, async (_, onEvent) => {
      onEvent({ type: "spent", usage });
      throw failing("server").error;
    });
    const events = await runAll({ models: alone(dear, second), limits: { tokenBudget: 120 } });
    expect(outcomeOf(events)).toMatchObject({ status: "failed", error: { code: "server" } });
    expect([asked(second), takeoversOf(events)]).toEqual([0, []]);
  });
});
