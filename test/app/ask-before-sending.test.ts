import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { toUser, type User } from "../../src/core/questions/user.ts";
import type { Approval, ApprovalRequest } from "../../src/core/tools/tool.ts";
import type { JsonObject } from "../../src/kit/json.ts";
import { startAmapService } from "../fakes/amap-service.ts";
import { outcomeOf } from "../fakes/events.ts";
import { type ScriptedTurn, scriptedModel } from "../fakes/model.ts";
import { compileCache, configFile, npmServer, temporaryFolder } from "../fakes/program.ts";
import { startFakeSearch } from "../fakes/search.ts";
import { keys, redirecting } from "../real-servers/nine.ts";

type Call = [name: string, input: JsonObject];

const read: Call = ["read_file", { path: "notes.txt" }];
const add: Call = ["calculator", { expression: "1 + 1" }];
const weather: Call = ["amap__maps_weather", { city: "杭州" }];
const search: Call = ["web_search", { query: "tea" }];
const echo: Call = ["plain__echo", { text: "the secret" }];
const claimed: Call = ["claims__echo", { text: "the secret" }];

/** Reads the page of the test's own site. */
function openPage(site: string): Call {
  return ["read_page", { url: site }];
}

interface Scene {
  site: string;
  /** Makes these calls, a turn each (several calls of one turn in a list), and returns what came of each. */
  ask(
    turns: (Call | Call[])[],
    person?: Person,
  ): Promise<{ tool: string; ok: boolean; decision: string | undefined }[]>;
}

interface Person {
  user: User;
  asked: ApprovalRequest[];
}

/** Says the answers one after the other, then no. */
function person(...answers: Approval[]): Person {
  const asked: ApprovalRequest[] = [];
  const approveCall = async (request: ApprovalRequest) => {
    asked.push(request);
    return answers.shift() ?? "no";
  };
  return { user: toUser({ approveCall }), asked };
}

const server = resolve("test/fakes/mcp.ts");

/** A folder with a file, a search service, a site, and the servers that the calls name. */
async function openScene(servers: readonly string[], tools: object = {}): Promise<Scene> {
  const [folder, home] = await Promise.all([temporaryFolder(), temporaryFolder()]);
  await writeFile(join(folder, "notes.txt"), "The secret of the tea.");
  await writeFile(join(folder, "people.csv"), "name,age\nAda,36\n");
  const service = await startFakeSearch({
    tea: [{ title: "Tea", url: "https://tea.example/", content: "About tea." }],
  });
  const site = await startSite();
  onTestFinished(() => service.close());
  const known: Record<string, object> = {
    plain: { command: process.execPath, args: [server, "--writes"], env: compileCache() },
    claims: { command: process.execPath, args: [server], env: compileCache() },
    amap: servers.includes("amap") ? await amapServer() : {},
  };
  const file = await configFile({
    mcpServers: Object.fromEntries(servers.map((name) => [name, known[name]])),
    tools: { roots: [folder], ...tools },
    agent: { maxIterations: 10, maxToolCalls: 20 },
    search: { searxng: { url: service.url } },
    web: { reach: [new URL(site).host] },
    locale: "en",
  });
  const config = await loadConfig({ config: file }, { HOME: home, DUET_HOME: home, OPENAI_API_KEY: "sk-test" });
  const script: ScriptedTurn[] = [];
  const model = scriptedModel(script);
  const duet = await openDuet(config, { models: { functionCall: model, answer: model } });
  onTestFinished(() => duet.close());
  return {
    site,
    async ask(turns, someone) {
      script.push(...turns.map(toScriptedTurn), "Done.");
      const events = await Array.fromAsync(duet.ask({ question: "Go on.", user: someone?.user }));
      outcomeOf(events);
      return events.flatMap((event) =>
        event.type === "tool-end" ? [{ tool: event.tool, ok: event.ok, decision: event.permission?.decision }] : [],
      );
    },
  };
}

function toScriptedTurn(turn: Call | Call[], index: number): ScriptedTurn {
  const calls = isList(turn) ? turn : [turn];
  return calls.map(([name, input], position) => ({ id: `call-${index}-${position}`, name, input }));
}

function isList(turn: Call | Call[]): turn is Call[] {
  return Array.isArray(turn[0]);
}

async function amapServer(): Promise<object> {
  const amap = await startAmapService(keys.amap);
  const env = { ...redirecting({ "restapi.amap.com": amap.url }), AMAP_MAPS_API_KEY: keys.amap };
  return { ...npmServer("mcp-amap"), env };
}

async function startSite(): Promise<string> {
  const http = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<title>Site</title><p>A page about tea that is long enough to be read as one.</p>");
  });
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return `http://127.0.0.1:${port}/`;
}

describe("a run that has read private data and untrusted text", () => {
  test("asks once before it sends text out, with or without annotations, and a yes holds for the rest of the run", async () => {
    const { ask, site } = await openScene(["amap", "plain", "claims"]);
    for (const first of [weather, openPage(site), search, echo, claimed]) {
      const someone = person("once");
      const done = await ask([read, add, first, echo, openPage(site)], someone);
      expect(
        done.map(({ ok }) => ok),
        first[0],
      ).toEqual([true, true, true, true, true]);
      expect(someone.asked, first[0]).toMatchObject([
        { tool: first[0], arguments: first[1], rule: "tools.askBeforeSending", onlyOnce: false },
      ]);
      expect(someone.asked[0]?.reason).toContain("private data (read_file)");
    }
  });

  test("is not asked about calculator, Amap, a search and a page where no file was read", async () => {
    const { ask, site } = await openScene(["amap", "plain"]);
    const someone = person();
    const done = await ask([add, weather, search, openPage(site), weather, echo], someone);
    expect(done.map(({ ok }) => ok)).toEqual([true, true, true, true, true, true]);
    expect(someone.asked).toEqual([]);
  });

  test("asks after each tool that reads a file, and not after one that was given its data", async () => {
    const { ask } = await openScene(["plain"]);
    const data = "name,age\nAda,36";
    const readers: Call[] = [
      ["table_query", { path: "people.csv" }],
      ["format_data", { path: "people.csv", to: "json" }],
      ["file_search", { query: "secret" }],
      ["log_transform", { path: "notes.txt" }],
    ];
    for (const reader of readers) {
      const someone = person("no");
      await ask([reader, echo], someone);
      expect(someone.asked, reader[0]).toHaveLength(1);
    }
    const given: Call[] = [
      ["table_query", { data }],
      ["format_data", { data, to: "json" }],
      ["file_search", { query: "nowhere to be found" }],
    ];
    const done = await ask([...given, echo], person());
    expect(done.map(({ ok }) => ok)).toEqual([true, true, true, true]);
  });

  test("may finish the calls of the turn that read the file, which were decided before", async () => {
    const { ask } = await openScene(["plain"]);
    const someone = person();
    const done = await ask([[read, echo], echo], someone);
    expect(done.map(({ decision }) => decision)).toEqual(["allowed", "allowed", "declined"]);
    expect(someone.asked).toHaveLength(1);
  });

  test("is asked once about several calls at once, and a no holds for all of them and those that follow", async () => {
    const { ask } = await openScene(["plain", "claims"]);
    const someone = person("no", "once");
    const done = await ask([read, [echo, claimed], search], someone);
    expect(done.slice(1).map(({ decision }) => decision)).toEqual(["declined", "declined", "declined"]);
    expect(someone.asked).toHaveLength(1);
  });

  test("asks about another tool where the person agreed to one tool for the conversation", async () => {
    const { ask } = await openScene(["plain", "claims"]);
    const someone = person("conversation", "no");
    const done = await ask([read, echo, echo, claimed], someone);
    expect(done.map(({ decision }) => decision)).toEqual(["allowed", "approved", "approved", "declined"]);
    expect(someone.asked.map(({ tool }) => tool)).toEqual(["plain__echo", "claims__echo"]);
  });

  test("asks although the person agreed to such calls before under another rule", async () => {
    const { ask } = await openScene(["plain"], { ask: ["plain__*"] });
    const someone = person("conversation", "no");
    const done = await ask([echo, read, echo], someone);
    expect(done.map(({ decision }) => decision)).toEqual(["approved", "allowed", "declined"]);
    expect(someone.asked.map(({ rule }) => rule)).toEqual([
      "tools.ask: plain__*",
      "tools.ask: plain__*; tools.askBeforeSending",
    ]);
  });

  test("does not make the call where nobody can be asked", async () => {
    const { ask } = await openScene(["plain"]);
    const done = await ask([read, echo, search]);
    expect(done.map(({ decision }) => decision)).toEqual(["allowed", "unanswered", "unanswered"]);
  });

  test("follows the patterns of tools.private and tools.local, and the setting that turns it off", async () => {
    const secluded = await openScene(["plain", "claims"], { private: ["plain__*"] });
    const someone = person("no");
    expect((await secluded.ask([echo, claimed], someone)).map(({ ok }) => ok)).toEqual([true, false]);
    expect(someone.asked[0]?.reason).toContain("private data (plain__echo)");
    const local = await openScene(["plain"], { local: ["plain__*"] });
    expect((await local.ask([read, echo])).map(({ ok }) => ok)).toEqual([true, true]);
    const off = await openScene(["plain"], { askBeforeSending: false });
    expect((await off.ask([read, echo])).map(({ ok }) => ok)).toEqual([true, true]);
  });
});
