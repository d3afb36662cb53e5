// A run that takes longer than its host waits for a call. Scaled down; the real times are in bench/long-call.mjs.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostOutcome } from "../../../src/server/mcp/agent/host-outcome.ts";
import type { FakeTurn, JournalEntry } from "../../fakes/provider.ts";
import { type CallSettings, type Connect, hosts, type Result, type Served } from "./gateway/hosts.ts";
import { type ServedDuet, serveDuet } from "./matrix-served.ts";

/** After how many milliseconds these hosts give a call up. */
const timeout = 4000;

/** Written for six seconds. */
const long = { text: "0123456789".repeat(48), chunkSize: 8, delayMs: 100 };

/** Never written to its end, but by the test. */
const gated = hosts.map(([name]) => ({
  question: `Write, and hurry, for ${name}`,
  gate: Promise.withResolvers<void>(),
}));

let duet: ServedDuet;
let byHttp: Served;
beforeAll(async () => {
  duet = await serveDuet({ windows: { hasty: 1, patient: 3600 } });
  for (const _ of hosts) duet.provider.script("cheap", reply, reply);
  byHttp = await duet.overHttp();
});
afterAll(() => duet.close());

function reply({ body }: JournalEntry): FakeTurn {
  const asked = JSON.stringify(body.messages);
  const found = gated.find(({ question }) => asked.includes(question));
  return found ? { text: "At last.", hang: "after-text", until: found.gate.promise } : long;
}

/** A host whose every call says how long it waits. */
async function connectAs(name: string, connect: Connect) {
  const host = await connect({ ...byHttp, name });
  return {
    close: host.close,
    call: async (tool: string, args: Record<string, unknown>, settings: CallSettings = {}): Promise<HostOutcome> =>
      outcomeOf(await host.call(tool, args, { timeout, ...settings })),
  };
}

function outcomeOf({ structuredContent }: Result): HostOutcome {
  return structuredContent as HostOutcome;
}

describe.concurrent.each(hosts)("%s that waits for less time than the run takes", (name, connect) => {
  test("gets the whole answer from one call, where progress is a sign of life to it", async () => {
    const host = await connectAs("patient", connect);
    const began = performance.now();
    const question = { question: `Write at length, for ${name}`, mode: "chat" };
    const outcome = await host.call("agent_ask", question, { resetTimeoutOnProgress: true, onprogress: () => {} });
    expect(outcome).toMatchObject({ status: "complete", response: long.text });
    expect(performance.now() - began).toBeGreaterThan(timeout);
    await host.close();
  });

  test("hears in time that the run goes on, and gets the whole answer by agent_result", async () => {
    const { question, gate } = gated.find((each) => each.question.endsWith(name)) ?? expect.unreachable();
    const host = await connectAs("hasty", connect);
    const first = await host.call("agent_ask", { question });
    expect(first).toMatchObject({ status: "running" });
    const { run_id } = first;
    expect(await host.call("agent_result", { run_id })).toMatchObject({ status: "running", run_id });
    gate.resolve();
    let last = await host.call("agent_result", { run_id });
    // A busy machine may need more than one window for the end.
    while (last.status === "running") last = await host.call("agent_result", { run_id });
    expect(last).toMatchObject({ status: "complete", response: "At last.", run_id });
    await host.close();
  });
});
