import { expect, onTestFinished, test, vi } from "vitest";
import { listBelievedMs } from "../../../src/client/limits.ts";
import { createPool } from "../../../src/client/pool.ts";
import type { ServerSettings } from "../../../src/config/config.ts";
import { call, readyPoolOf, stdio } from "../servers.ts";

/** A server that answers its first list with the tool `one`; `later` is what it does about lists besides. */
function listing(later: { afterFirst?: string; afterwards: string }, more: Partial<ServerSettings> = {}) {
  const script = `
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const tool = (name) => ({ name, inputSchema: { type: "object" } });
    const capabilities = { tools: { listChanged: true } };
    const initialized = { protocolVersion: "2025-06-18", capabilities, serverInfo: { name: "lists", version: "1" } };
    let lists = 0;
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (method === "initialize") send({ id, result: initialized });
      if (method === "tools/call") send({ id, result: { content: [{ type: "text", text: lists + " lists" }] } });
      if (method !== "tools/list") return;
      lists += 1;
      if (lists > 1) { ${later.afterwards} return; }
      send({ id, result: { tools: [tool("one")] } });
      ${later.afterFirst ?? ""}
    });`;
  return stdio("fake", process.execPath, ["-e", script], more);
}

test("a change that is announced right behind the first list is not lost", async () => {
  const settings = listing({
    afterFirst: `send({ method: "notifications/tools/list_changed" });`,
    afterwards: `send({ id, result: { tools: [tool("one"), tool("two")] } });`,
  });
  const pool = createPool([settings], {
    environment: process.env,
    clientInfo: { name: "t", version: "0" },
    newTools: "allow",
  });
  onTestFinished(() => pool.close());
  await pool.ready();
  await vi.waitFor(() => expect(pool.tools().map(({ name }) => name)).toEqual(["fake__one", "fake__two"]), {
    timeout: 60_000,
  });
});

test("a server that gives no new list is called by the old one, and nobody is told that the call may have run", async () => {
  const settings = listing({ afterwards: "" }, { timeoutMs: 800 });
  const pool = await readyPoolOf(settings);
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + listBelievedMs + 1000);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await call(pool, "fake__one")).toMatchObject({ ok: true, text: "2 lists" });
  // The next call does not ask, and wait, again.
  expect(await call(pool, "fake__one")).toMatchObject({ ok: true, text: "2 lists" });
});
