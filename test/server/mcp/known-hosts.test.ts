import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import type { Host } from "../../../src/runs/input/host.ts";
import { findKnownHost, getWindowMs, knownHosts } from "../../../src/server/mcp/known-hosts.ts";
import { linkHost } from "../../fakes/linked-hosts.ts";
import { openFace } from "../../runs/mcp-interface.ts";

function createHost(
  name: string,
  version = "1",
  asksProgress = false,
): Pick<Host, "name" | "version" | "asksProgress"> {
  return { name, version, asksProgress };
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

test("what a host has taught by giving up shortens its window, but not one that is configured for it", () => {
  expect(getWindowMs(createHost("other"), { windows: {} }, 8)).toBe(6500);
  expect(getWindowMs(createHost("other"), { windows: {}, window: 5 }, 8)).toBe(5000);
  expect(getWindowMs(createHost("other"), { windows: { other: 20 } }, 8)).toBe(20_000);
  expect(getWindowMs(createHost("other"), { windows: {} }, 0.2)).toBe(100);
  expect(getWindowMs(createHost("other"), { windows: {} }, 9999)).toBe(50_000);
});

test("no two rows are for the same host, and each names its evidence and its day", () => {
  const keys = knownHosts.map(({ name, version, asksProgress }) => JSON.stringify([name, version, asksProgress]));
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
