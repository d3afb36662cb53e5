import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { delimiter, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isRecord } from "../../src/kit/json.ts";
import { isAlive } from "../client/servers.ts";
import { configFile, npmServer, runProgram } from "../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";
import { linux, requires } from "../runner/requirements.ts";
import { createMarks, descendantsOf, type Marks } from "./marks.ts";
import { keys, type Nine, nineServers, toolCounts } from "./nine.ts";
import { type Served, startServing } from "./served.ts";

const names = ["everything", ...Object.keys(toolCounts)];
/** Are started behind a shell, and behind npx where there is npx. */
const launchers = ["shell", ...(hasNpx() ? ["npx"] : [])];

test("nine servers from npm start together and list their tools", async () => {
  const { servers } = await nineServers();
  const config = await configFile({ mcpServers: servers });
  const { code, stdout, stderr } = await runProgram(["tools", "--output", "json", "--config", config]);
  expect(code).toBe(0);
  const listed: { servers: { name: string; state: string; tool_count: number }[]; tools: { name: string }[] } =
    JSON.parse(stdout);
  expect(listed.servers.map(({ name, state }) => [name, state])).toEqual(names.map((name) => [name, "ready"]));
  const counts = listed.servers.map(({ name, tool_count }) => [name, tool_count] as const);
  const { everything, ...others } = Object.fromEntries(counts);
  expect(others).toEqual(toolCounts);
  // It offers more to a client that can do more.
  expect(everything).toBeGreaterThanOrEqual(12);
  expect(listed.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["everything__echo", "brave__brave_web_search"]),
  );
  for (const key of Object.values(keys)) expect(stdout + stderr).not.toContain(key);
});

describe("duet serve with nine servers", requires(linux), () => {
  test("one is killed in the middle of a call and comes back; the others answer; nothing is left after EOF", async () => {
    const { request, provider, nine, marks } = await serve([...names, ...launchers]);
    const page = await silentPage();
    const long = "everything__gzip-file-as-resource";
    const path = nine.folder;
    await writeFile(join(path, "note.txt"), "");
    provider.script(
      "cheap",
      {
        toolCalls: [
          { name: long, arguments: { name: "page.gz", data: page.url } },
          { name: "filesystem__list_directory", arguments: { path } },
          { name: "memory__create_entities", arguments: { entities: [person] } },
          { name: "thinking__sequentialthinking", arguments: thought },
          { name: "amap__maps_weather", arguments: { city: "北京" } },
          { name: "tavily__tavily_search", arguments: { query: "云帆图书馆" } },
          { name: "exa__web_search_exa", arguments: { query: "云帆图书馆" } },
          { name: "brave__brave_web_search", arguments: { query: "云帆图书馆" } },
          { name: "duckduckgo__duckduckgo_web_search", arguments: { query: "云帆图书馆" } },
        ],
      },
      { text: "Done." },
    );
    const lines: string[] = [];
    const asked = request.ask("Call them all.", (line) => lines.push(line));
    const others = ["filesystem", "memory", "thinking", "amap", "tavily", "exa", "brave", "duckduckgo"];
    await vi.waitFor(
      () => {
        const told = lines.join("\n");
        for (const name of others) expect(told).toMatch(new RegExp(`[✓✗] ${name}__`));
      },
      { timeout: 60_000, interval: 50 },
    );
    await page.asked;
    const killed = marks.living().get("everything") ?? [];
    expect(killed.length).toBeGreaterThan(0);
    for (const pid of killed) process.kill(pid, "SIGKILL");

    const { tool_calls: calls } = await asked;
    const [broken, ...answered] = calls;
    expect(broken).toMatchObject({ tool: long, ok: false });
    expect(broken?.result).toContain("may have taken effect");
    expect(broken?.elapsed_ms).toBeLessThan(60_000);
    expect(answered.map(({ tool, ok }) => [tool.split("__")[0], ok])).toEqual(
      others.map((name) => [name, name !== "duckduckgo"]),
    );
    const [listing, remembered, thinking, weather, ...found] = answered.map(({ result }) => result);
    expect(listing).toContain("[FILE] note.txt");
    expect(remembered).toContain("云帆");
    expect(thinking).toContain('"thoughtNumber": 1');
    expect(weather).toContain('"city": "北京市"');
    for (const search of found.slice(0, 3)) expect(search).toContain("https://library.example/hours");
    // The internet is out of reach.
    expect(found[3]).toMatch(/^Error: .*云帆图书馆/);

    await marks.appear(["everything"]);
    expect(marks.living().get("everything")).not.toEqual(killed);
    provider.script(
      "cheap",
      { toolCalls: [{ name: "everything__echo", arguments: { message: "back again" } }] },
      { text: "Done." },
    );
    const { tool_calls: later } = await request.ask("Is it back?");
    expect(later).toMatchObject([{ tool: "everything__echo", ok: true, result: "Echo: back again" }]);

    const ours = descendantsOf(request.pid);
    request.hangUp();
    expect(await request.ended).toBe(0);
    await allGone(marks, ours);
    for (const key of Object.values(keys)) {
      expect(request.output()).not.toContain(key);
      expect(JSON.stringify(provider.journal)).not.toContain(key);
    }
  });

  // Each half of the servers meets one of the signals; the end of the input above meets them all.
  test.each([
    ["SIGTERM", ["everything", "filesystem", "memory", "thinking", "amap"]],
    ["SIGKILL", ["tavily", "exa", "brave", "duckduckgo", ...launchers]],
  ] as const)("nothing is left after %s of one with %j", async (signal, chosen) => {
    const { request, provider, marks } = await serve(chosen);
    provider.script("cheap", { text: "Ready." });
    // A run begins once every server is ready or has failed.
    await request.ask("Are they all there?");
    const ours = descendantsOf(request.pid);
    expect(ours.length).toBeGreaterThan(chosen.length);
    process.kill(request.pid, signal);
    await request.ended;
    await allGone(marks, ours);
  });
});

const person = { name: "云帆", entityType: "library", observations: ["on Songtao Road"] };
const thought = { thought: "one", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };

/** A page that is asked for and never comes. */
async function silentPage(): Promise<{ url: string; asked: Promise<unknown> }> {
  const server = createServer().listen(0, "127.0.0.1");
  const asked = once(server, "request");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${isRecord(address) ? address.port : 0}/`, asked };
}

interface ServedMarked {
  request: Served;
  provider: FakeProvider;
  nine: Nine;
  marks: Marks;
}

/** Some of the nine and of what launchers start; all have a process when this is fulfilled. */
async function serve(chosen: readonly string[]): Promise<ServedMarked> {
  const marks = createMarks();
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const nine = await nineServers(marks.env);
  const { command } = npmServer("mcp-server-everything");
  const servers = {
    ...nine.servers,
    shell: { command: "sh", args: ["-c", `'${process.execPath}' '${command}'; true`], env: marks.env("shell") },
    npx: {
      ...{ command: "npx", args: ["--no-install", "mcp-server-everything"] },
      ...{ cwd: resolve("."), env: marks.env("npx") },
    },
  };
  const config = await configFile({
    models: { functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl } },
    mcpServers: Object.fromEntries(Object.entries(servers).filter(([name]) => chosen.includes(name))),
    agent: { maxToolCalls: 20, maxExecutionTime: 120 },
    locale: "en",
  });
  onTestFinished(() => {
    for (const pid of [...marks.living().values()].flat()) process.kill(pid, "SIGKILL");
  });
  const request = await startServing(config, { OPENAI_API_KEY: "sk-test-openai-0001" });
  await marks.appear(chosen);
  return { request, provider, nine, marks };
}

function hasNpx(): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, "npx")));
}

/** Nothing that carries the mark is left, nor anything else that was started, such as the shell that watches. */
async function allGone(marks: Marks, pids: readonly number[]): Promise<void> {
  await marks.vanish();
  await vi.waitFor(
    () => {
      expect(pids.filter(isAlive)).toEqual([]);
    },
    { timeout: 60_000, interval: 50 },
  );
}
