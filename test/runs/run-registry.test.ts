import { expect, test } from "vitest";
import type { DuetError } from "../../src/kit/errors.ts";
import { createRunRegistry } from "../../src/runs/run-registry.ts";
import { StoreError } from "../../src/store/errors/store-error.ts";
import { linkHost } from "../fakes/linked-hosts.ts";
import { openFace } from "./mcp-interface.ts";

test("the window of the host that calls closes its call, and an agent above is answered before its deadline", async () => {
  const gate = Promise.withResolvers<void>();
  const serve = { windows: { impatient: 1 } };
  const { mcp } = await openFace({ turns: ["a", "b"], gate: gate.promise, serve });
  const host = await linkHost(mcp, { name: "impatient" });
  expect((await host.ask("What is it?")).outcome.status).toBe("running");
  const patient = await linkHost(mcp, { name: "patient" });
  const meta = { "duet/depth": 1, "duet/deadline": Date.now() + 1500 };
  const below = await patient.ask("And that?", {}, { meta });
  expect(["running", "partial", "failed"]).toContain(below.outcome.status);
  gate.resolve();
});

test("more runs than allowed are refused in words, and another may begin when one has ended", async () => {
  const gate = Promise.withResolvers<void>();
  const { mcp } = await openFace({ turns: ["a", "b"], gate: gate.promise, serve: { maxRuns: 1 } });
  const host = await linkHost(mcp);
  const { run_id } = (await host.ask("First?", { wait_s: 0 })).outcome;
  const refused = await host.ask("Second?");
  expect(refused).toMatchObject({ isError: true });
  expect(refused.text).toContain("1 runs are in progress (the maximum of serve.maxRuns)");
  gate.resolve();
  await host.call("agent_result", { run_id });
  expect((await host.ask("Third?")).outcome.status).toBe("complete");
});

test("a run whose result is no longer held is told from its trace", async () => {
  const { mcp } = await openFace({ turns: ["Forty-two."], serve: { keepResults: 1 } });
  const host = await linkHost(mcp);
  const first = await host.ask("What is it?");
  await expect.poll(() => mcp.runs.find(first.outcome.run_id, {})).toBeUndefined();
  const kept = await host.call("agent_result", { run_id: first.outcome.run_id });
  expect(kept.text).toBe("Forty-two.");
  expect(kept.outcome).toMatchObject({ status: "complete", run_id: first.outcome.run_id });
  expect(kept.outcome.meta.total_tokens).toBe(first.outcome.meta.total_tokens);
});

test("what is not known is said in one line that shows it", async () => {
  const { mcp } = await openFace({ turns: [] });
  const host = await linkHost(mcp);
  expect((await host.call("agent_result", { run_id: "run-1" })).text).toContain('There is no run "run-1"');
  const bad = await host.ask("What is it?", { max_iterations: 99, colour: "red" });
  expect(bad.isError).toBe(true);
  expect(bad.text).toContain("max_iterations: 99 is not allowed (allowed: an integer from 1 to 10)");
  expect(bad.text).toContain("colour");
});

test("a question that is asked again in another conversation, or after its answer was given, is another run", async () => {
  const { mcp, model } = await openFace({ turns: ["One.", "Two.", "Three."] });
  const host = await linkHost(mcp);
  const first = await host.ask("What is it?");
  const again = await host.ask("What is it?");
  const other = await host.ask("What is it?", { conversation_id: "conv-other" });
  expect(new Set([first, again, other].map(({ outcome }) => outcome.run_id)).size).toBe(3);
  expect(model.requests).toHaveLength(3);
});

test("a question that is asked again is joined in its own conversation only, and only with the same rights", async () => {
  const gate = Promise.withResolvers<void>();
  const { mcp } = await openFace({ turns: ["One.", "Two.", "Three."], gate: gate.promise });
  const anna = await linkHost(mcp, { caller: { owner: "anna" } });
  const limited = await linkHost(mcp, { caller: { owner: "anna", tools: ["echo"] } });
  const inOne = await anna.ask("Go on.", { conversation_id: "conv-one", wait_s: 0 });
  const inNone = await anna.ask("Go on.", { wait_s: 0 });
  const withLess = await limited.ask("Go on.", { wait_s: 0 });
  const again = await anna.ask("Go on.", { conversation_id: "conv-one", wait_s: 0 });
  expect(again.outcome.run_id).toBe(inOne.outcome.run_id);
  expect(new Set([inOne, inNone, withLess].map(({ outcome }) => outcome.run_id)).size).toBe(3);
  gate.resolve();
});

test("an end that nobody was given is joined no longer than it is kept", async () => {
  const { mcp, model } = await openFace({ turns: ["Old.", "New."], serve: { keepResults: 1 } });
  const host = await linkHost(mcp);
  expect((await host.ask("What is it?", { wait_s: 0 })).outcome.status).toBe("running");
  await expect.poll(() => [...mcp.runs.listRuns({})]).toEqual([]);
  expect((await host.ask("What is it?")).text).toBe("New.");
  expect(model.requests).toHaveLength(2);
});

test("a run that waits for its client leaves its place free, for runs of other processes, too", async () => {
  const runs = createRunRegistry({ most: 1, keepMs: 1 });
  expect(runs.countFree()).toBe(1);
  const isPaused = Promise.withResolvers<void>();
  const run = runs.begin({
    key: "key",
    caller: {},
    locale: "en",
    request: { question: "Hello" },
    canAsk: () => false,
    patienceMs: 60_000,
    async *ask({ callClient, signal = new AbortController().signal }) {
      const calling = callClient?.([{ id: "call_1", name: "read", argumentsText: "{}" }], signal);
      isPaused.resolve();
      await calling;
      yield* [];
    },
  });
  await isPaused.promise;
  expect([runs.countFree(), runs.countOwn({}).now]).toEqual([1, 0]);
  await runs.cancel(run, 20_000);
});

test("no run begins while its record could be stored nowhere", () => {
  let refusal: DuetError | undefined = new StoreError(
    Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
    "db",
  );
  const runs = createRunRegistry({ most: 1, keepMs: 1, findRefusal: () => refusal });
  expect(() => runs.checkAdmission({})).toThrow(refusal);
  expect(refusal).toMatchObject({ code: "overloaded", retryAfterMs: 1000 });
  refusal = undefined;
  runs.checkAdmission({});
});
