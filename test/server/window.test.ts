// A run that takes longer than its host waits for a call. Scaled down; the real times are in bench/long-call.mjs.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Outcome } from "../../src/core/outcome.ts";
import { type CallSettings, type Connect, hosts, type Result, type Served } from "./gateway/hosts.ts";
import { type ServedDuet, serveDuet } from "./matrix-served.ts";

/** After how many milliseconds these hosts give a call up. */
const timeout = 2500;

/** Written for five seconds. */
const turn = { text: "0123456789".repeat(40), chunkSize: 8, delayMs: 100 };

let duet: ServedDuet;
let byHttp: Served;
beforeAll(async () => {
  duet = await serveDuet({ windows: { hasty: 1, patient: 3600 } });
  byHttp = await duet.overHttp();
});
afterAll(() => duet.close());

/** A host whose every call says how long it waits. */
async function connectAs(name: string, connect: Connect) {
  const host = await connect({ ...byHttp, name });
  return {
    close: host.close,
    call: (tool: string, args: Record<string, unknown>, settings: CallSettings = {}): Promise<Result> =>
      host.call(tool, args, { timeout, ...settings }),
  };
}

function outcomeOf({ structuredContent }: Result): Outcome {
  return structuredContent as Outcome;
}

describe.concurrent.each(hosts)("%s that waits for less time than the run takes", (name, connect) => {
  test("gets the whole answer from one call, where progress is a sign of life to it", async () => {
    duet.provider.script("cheap", turn);
    const host = await connectAs("patient", connect);
    const began = performance.now();
    const settings = { resetTimeoutOnProgress: true, onprogress: () => {} };
    const result = await host.call("agent_ask", { question: `Write at length, for ${name}`, mode: "chat" }, settings);
    expect(outcomeOf(result)).toMatchObject({ status: "complete", response: turn.text });
    expect(performance.now() - began).toBeGreaterThan(timeout);
    await host.close();
  });

  test("hears in time that the run goes on, and gets the whole answer by agent_result", async () => {
    duet.provider.script("cheap", turn);
    const host = await connectAs("hasty", connect);
    const began = performance.now();
    let outcome = outcomeOf(await host.call("agent_ask", { question: `Write, and hurry, for ${name}`, mode: "chat" }));
    expect(outcome).toMatchObject({ success: true, status: "running" });
    const { run_id } = outcome;
    while (outcome.status === "running") outcome = outcomeOf(await host.call("agent_result", { run_id }));
    expect(outcome).toMatchObject({ status: "complete", response: turn.text, run_id });
    expect(performance.now() - began).toBeGreaterThan(timeout);
    await host.close();
  });
});
