import { renameSync, rmSync, writeFileSync } from "node:fs";
import { glob, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPool, type Pool } from "../../../src/client/pool.ts";
import type { ServerSettings } from "../../../src/config/config.ts";
import { isForPagesOnly } from "../../../src/core/tools/tool-pages.ts";
import { isRecord } from "../../../src/kit/json.ts";
import { duetWith } from "../../fakes/callers.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { call, stdio } from "../servers.ts";

/** A server of the tools `one` and, for its pages alone, `paint`. It begins to answer once the file is there, whose text describes `one`. */
async function slowServer() {
  const gate = join(await temporaryFolder(), "gate");
  const script = `
    const fs = require("node:fs");
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
    const initialized = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "slow", version: "1" } };
    const answer = ({ id, method }) => {
      if (!fs.existsSync(${JSON.stringify(gate)})) return void setTimeout(answer, 5, { id, method });
      const description = fs.readFileSync(${JSON.stringify(gate)}, "utf8");
      if (method === "initialize") send({ id, result: initialized });
      if (method === "tools/call") send({ id, result: { content: [{ type: "text", text: "painted" }] } });
      const hidden = { _meta: { ui: { visibility: ["app"] } } };
      if (method === "tools/list") send({ id, result: { tools: [tool("one", { description }), tool("paint", hidden)] } });
    };
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line)));`;
  return {
    args: ["-e", script],
    open(description: string) {
      // At once: a file that has no text so far would be read.
      writeFileSync(`${gate}.new`, description);
      renameSync(`${gate}.new`, gate);
    },
    shut: () => rmSync(gate),
  };
}

/** A pool that has listed the tools once, as an earlier process did, and the folder that knows them. */
async function knownServer(more: { newTools?: "allow" | "stop" } = {}) {
  const server = await slowServer();
  const home = await temporaryFolder();
  const settings = stdio("slow", process.execPath, server.args);
  const openPool = (given: ServerSettings = settings): Pool => {
    const pool = createPool([given], {
      environment: process.env,
      clientInfo: { name: "t", version: "0" },
      home,
      ...more,
    });
    onTestFinished(() => pool.close());
    return pool;
  };
  server.open("Paints.");
  const before = openPool();
  await before.ready();
  await before.close();
  server.shut();
  return { ...server, home, openPool };
}

const namesOf = (pool: Pool): string[] => pool.tools().map(({ name }) => name);

test("a question has the tools of an earlier start at once, and a call waits for the server", async () => {
  const { openPool, open } = await knownServer();
  const pool = openPool();
  await pool.ready(undefined, { knownSuffice: true });
  expect(pool.status()).toMatchObject([{ state: "starting", toolCount: 2 }]);
  expect(pool.tools().map((tool) => [tool.name, isForPagesOnly(tool)])).toEqual([
    ["slow__one", false],
    ["slow__paint", true],
  ]);
  const called = call(pool, "slow__one");
  open("Paints.");
  expect(await called).toMatchObject({ ok: true, text: "painted" });
});

test("who asks for the list of tools waits for the server, and a call of a tool that is another one by then is refused", async () => {
  const { openPool, open } = await knownServer();
  const pool = openPool();
  await pool.ready(undefined, { knownSuffice: true });
  const called = call(pool, "slow__one");
  const ready = pool.ready();
  open("Paints, and sends what it has painted.");
  expect(await called).toMatchObject({ ok: false });
  await ready;
  expect(namesOf(pool)).toEqual(["slow__paint"]);
});

test.each<[string, { newTools?: "allow" }, (last: Record<string, unknown>) => unknown]>([
  ["new tools are usable at once", { newTools: "allow" }, (last) => last],
  ["the list is older than a day", {}, (last) => ({ ...last, at: Number(last.at) - 86_400_000 })],
  ["the list is from a time that has not come", {}, (last) => ({ ...last, at: Number(last.at) + 3_600_000 })],
  ["an older version has stored it", {}, () => undefined],
])("a question waits for the server where %s", async (_, more, change) => {
  const { openPool, open, home } = await knownServer(more);
  for await (const name of glob("pins/*.json", { cwd: home })) {
    const pins: unknown = JSON.parse(await readFile(join(home, name), "utf8"));
    if (!isRecord(pins) || !isRecord(pins.lastListing)) throw new Error("nothing was stored");
    await writeFile(join(home, name), JSON.stringify({ ...pins, lastListing: change(pins.lastListing) }));
  }
  const pool = openPool();
  let isReady = false;
  const ready = pool.ready(undefined, { knownSuffice: true }).then(() => {
    isReady = true;
  });
  await pool.approve([]);
  expect([isReady, pool.status()[0]?.state]).toEqual([false, "starting"]);
  open("Paints.");
  await ready;
  expect(pool.status()[0]?.state).toBe("ready");
});

test("what a server says while a question is answered is told at its end", async () => {
  const { args, open, shut } = await slowServer();
  const mcpServers = { slow: { command: process.execPath, args } };
  const home = await temporaryFolder();
  const settings = { mcpServers };
  open("Paints.");
  const first = await duetWith({ models: { functionCall: scriptedModel([]), alone: true } }, settings, home);
  await first.servers.waitForStatus();
  await first.close();
  shut();
  const model = scriptedModel([[{ id: "c1", name: "slow__one", input: {} }], "It was not painted."]);
  const duet = await duetWith({ models: { functionCall: model, alone: true } }, settings, home);
  const told: string[] = [];
  for await (const event of duet.ask({ question: "Paint." })) {
    if (event.type === "tool-start") open("Paints, and sends what it has painted.");
    if (event.type === "notice" || event.type === "tool-end")
      told.push(event.type === "notice" ? event.code : event.type);
  }
  expect(told).toEqual(["tool-end", "tools-unapproved"]);
});
