import { existsSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { findKnownHost, getWindowMs, type HostSigns, knownHosts } from "../../../src/server/mcp/known-hosts.ts";
import { linkHost } from "../../fakes/linked-hosts.ts";
import { openFace } from "../../runs/mcp-interface.ts";

function createHost(name: string, version = "1", asksProgress = false, isModern = false): HostSigns {
  return { name, version, asksProgress, isModern };
}

test("a host's window is what is configured for it, else for all, else what is known of it, else under a minute", () => {
  const windows = { "claude-code": 20, "my host": 3 };
  expect(getWindowMs(createHost("my host"), { windows })).toBe(3000);
  expect(getWindowMs(createHost("claude-code"), { windows, window: 10 })).toBe(20_000);
  expect(getWindowMs(createHost("other"), { windows, window: 10 })).toBe(10_000);
  expect(getWindowMs(createHost("claude-code", "2", true), { windows: {} })).toBe(3_600_000);
  expect(getWindowMs(createHost("constructor"), { windows: {} })).toBe(50_000);
});

test("a host that gives up after 5, 20 or 60 seconds is answered before", () => {
  expect(getWindowMs(createHost("google-adk"), { windows: {} })).toBe(4000);
  expect(getWindowMs(createHost("Java SDK MCP Client"), { windows: {} })).toBe(16_500);
  expect(getWindowMs(createHost("codex-mcp-client", "1", true), { windows: {} })).toBe(50_000);
});

test("of the many that call themselves mcp 0.1.0, those without progress have 4 seconds and the others 8", () => {
  expect(getWindowMs(createHost("mcp", "0.1.0"), { windows: {} })).toBe(4000);
  expect(getWindowMs(createHost("mcp", "0.1.0", true), { windows: {} })).toBe(8000);
  expect(getWindowMs(createHost("mcp", "1.0.0"), { windows: {} })).toBe(50_000);
});

test("of the two that call themselves fastmcp, the one that speaks the older revisions gives up after 10 seconds", () => {
  expect(getWindowMs(createHost("fastmcp", "4.2.3", true), { windows: {} })).toBe(8000);
  expect(getWindowMs(createHost("fastmcp", "4.2.3", true, true), { windows: {} })).toBe(290_000);
});

test("what a host has taught by giving up shortens its window, but not one that is configured for it", () => {
  expect(getWindowMs(createHost("other"), { windows: {} }, 8)).toBe(6500);
  expect(getWindowMs(createHost("other"), { windows: {}, window: 5 }, 8)).toBe(5000);
  expect(getWindowMs(createHost("other"), { windows: { other: 20 } }, 8)).toBe(20_000);
  expect(getWindowMs(createHost("other"), { windows: {} }, 0.2)).toBe(100);
  expect(getWindowMs(createHost("other"), { windows: {} }, 9999)).toBe(50_000);
});

test("no two rows are for the same host, and each names its evidence and its day", () => {
  const keys = knownHosts.map(({ name, version, asksProgress, isModern, callsUnlisted }) =>
    JSON.stringify([name, version, asksProgress, isModern, callsUnlisted]),
  );
  expect(new Set(keys).size).toBe(keys.length);
  for (const { evidence } of knownHosts) {
    expect(evidence.date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(evidence.seen ?? evidence.documented).toBeDefined();
    if (evidence.documented) expect(evidence.documented).toMatch(/^https:\/\//);
    if (evidence.seen) expect(existsSync(`scripts/interop/clients/${evidence.seen.client}/client.json`)).toBe(true);
  }
});

test("only a host that hands both forms to its model gets the answer once", async () => {
  const { mcp } = await openFace({ turns: ["Rain.", "Rain."] });
  const both = await linkHost(mcp, { name: "google-adk" });
  const told = await both.ask("What is the weather?", { wait_s: 60 });
  expect(told.text).toContain("Rain.");
  expect(told.outcome).not.toHaveProperty("response");
  const other = await linkHost(mcp, { name: "other" });
  expect((await other.ask("What is the weather now?")).outcome).toMatchObject({ response: "Rain." });
  expect(findKnownHost(createHost("google-adk"))?.modelReads).toBe("both");
});

test("a host that has given up a call once is answered in time from then on, and another one is not hurried", async () => {
  const gate = Promise.withResolvers<void>();
  const { mcp } = await openFace({ turns: ["Rain.", "Sun."], gate: gate.promise });
  const hasty = await linkHost(mcp, { name: "hasty" });
  await expect(hasty.ask("What is the weather?", {}, { timeout: 1500 })).rejects.toThrow("timed out");
  expect((await hasty.ask("What is the weather?")).outcome.status).toBe("running");
  const patient = await linkHost(mcp, { name: "patient" });
  const answer = patient.ask("And tomorrow?");
  gate.resolve();
  expect((await answer).outcome.status).toBe("complete");
});

test("a process that is called before its tools were listed waits for the end, for it ends with its first result", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const waits = recordWaits();
  onTestFinished(() => {
    waits.stop();
    vi.useRealTimers();
  });
  const gate = Promise.withResolvers<void>();
  const { mcp } = await openFace({ turns: ["Rain.", "Sun."], gate: gate.promise });
  const python = { name: "mcp", version: "0.1.0" };
  const { signal: inputEnded } = new AbortController();
  const [once, lasting, http] = [
    await linkHost(mcp, { ...python, inputEnded }),
    await linkHost(mcp, { ...python, inputEnded }),
    await linkHost(mcp, python),
  ];
  await lasting.listTools();
  const [waiting, ...windows] = [once, lasting, http].map((host) => host.ask("What is the weather?"));
  // The clock goes on once all three wait: a window that began later would never end.
  const begun = () => waits.ms.filter((ms) => ms === 4000 || ms === 3_600_000);
  await expect.poll(() => begun().sort()).toEqual([3_600_000, 4000, 4000]);
  await vi.advanceTimersByTimeAsync(10_000);
  for (const each of await Promise.all(windows)) expect(each.outcome.status).toBe("running");
  gate.resolve();
  expect((await waiting)?.outcome.status).toBe("complete");
});

/** Records the milliseconds of each timer. A spy would put the fake clock back for the files that come after this one. */
function recordWaits(): { ms: number[]; stop(): void } {
  const ms: number[] = [];
  const { setTimeout: start } = globalThis;
  globalThis.setTimeout = Object.assign((...args: Parameters<typeof start>) => {
    ms.push(Number(args[1]));
    return start(...args);
  }, start);
  return {
    ms,
    stop() {
      globalThis.setTimeout = start;
    },
  };
}
