import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import type { Duet } from "../../src/app/duet.ts";
import { listMissingServers, noticeUnavailable, noticeUnmatched } from "../../src/app/notices.ts";
import type { ServerStatus } from "../../src/client/server-connection.ts";
import { createToolNames } from "../../src/client/tool-names.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { askAs, duetWith } from "../fakes/callers.ts";
import { scriptedModel } from "../fakes/model.ts";
import { compileCache, temporaryFolder } from "../fakes/program.ts";

/** A program whose one server starts when it is wanted, and whether that has started. */
async function open(): Promise<{ duet: Duet; hasStarted(): boolean }> {
  const journal = join(await temporaryFolder(), "journal");
  const amap = {
    command: process.execPath,
    args: [resolve("test/fakes/mcp.ts"), "--journal", journal],
    env: compileCache(),
  };
  const model = scriptedModel(["Hello.", "Hello."]);
  const duet = await duetWith(
    { models: { functionCall: model, alone: true }, startServers: "when-wanted" },
    { mcpServers: { amap } },
  );
  return { duet, hasStarted: () => existsSync(journal) };
}

test("servers that start when they are wanted leave a chat without search alone, and serve the first who asks for tools", async () => {
  const { duet, hasStarted } = await open();
  await Array.fromAsync(duet.ask({ question: "Hello", mode: "chat" }));
  expect(hasStarted()).toBe(false);
  const [start] = await Array.fromAsync(duet.ask({ question: "Hello", tools: ["amap__*"] }));
  expect(start).toMatchObject({ type: "run-start", toolCount: 1 });
  expect(await duet.servers.waitForStatus()).toMatchObject([{ name: "amap", state: "ready" }]);
});

test("a question whose tools name none, or a server that is missing, says so in its result each time", async () => {
  const model = scriptedModel(["Hello.", "Hello.", "Hello."]);
  const none = { command: "/nonexistent/server" };
  const duet = await duetWith({ models: { functionCall: model, alone: true } }, { mcpServers: { none } });
  // On a busy machine a question may be over before the start has failed.
  await duet.servers.waitForStatus();
  for (const _ of ["first", "second"]) {
    const { outcome } = await askAs(duet, {}, "Hello", { tools: ["none__*", "calc", "calculator"] });
    expect(outcome).toMatchObject({
      status: "complete",
      notices: [{ code: "tools-unmatched", message: expect.stringContaining('tools: "none__*" (MCP server none is') }],
    });
    expect(outcome.notices?.[0]?.message).toMatch(/there is no command "\/nonexistent\/server"\), "calc"$/);
  }
  const { outcome } = await askAs(duet, {}, "Hello", { tools: ["calculator"] });
  expect(outcome.notices).toBeUndefined();
});

test("the result of a plain question names a server that is missing, once, and a call of its tools is told why", async () => {
  const call = { id: "1", name: "none__weather", input: {} };
  // What a tool of a server is called whose name no tool's name can hold.
  const dotted = { id: "2", name: createToolNames().nameOf("no.ne", "weather"), input: {} };
  const model = scriptedModel([[call, dotted], "Nobody knows.", "Hello."]);
  const none = { command: "/nonexistent/server" };
  const duet = await duetWith(
    { models: { functionCall: model, alone: true } },
    { mcpServers: { none, "no.ne": none } },
  );
  await duet.servers.waitForStatus();
  const { outcome } = await askAs(duet, {}, "What is the weather?");
  const why = /there is no command "\/nonexistent\/server"/;
  const missing = { code: "server-unavailable", message: expect.stringMatching(why) };
  expect(outcome.notices).toMatchObject([missing, missing]);
  const told = outcome.tool_calls[0]?.result;
  expect(told).toMatch(/^none__weather cannot be called now: (the )?MCP server none is /);
  expect(told).toMatch(why);
  expect(told).toContain(". This call was not run. Available tools: ");
  expect(outcome.tool_calls[1]?.result).toMatch(
    /^no_ne__weather--\w+ cannot be called now: (the )?MCP server no\.ne is /,
  );
  const again = await askAs(duet, {}, "Hello", { conversationId: outcome.conversation_id });
  expect(again.outcome.notices).toBeUndefined();
});

test("a server that has not started yet is told as such where the question names it", () => {
  const starting = { name: "slow", state: "starting", error: null, lastError: null, waiting: 0 } as ServerStatus;
  const [notice] = noticeUnmatched(["slow__*"], { tools: [], servers: [starting] }, "zh");
  const said = 'tools 中的以下条目没有匹配到任何工具："slow__*"（MCP 服务器 slow 还在启动）';
  expect(notice?.message).toBe(said);
  const more = noticeUnmatched(["slow__*", "slow__a", "slow__*"], { tools: [], servers: [starting] }, "zh");
  expect(more.map(({ message }) => message)).toEqual([`${said}、"slow__a"`]);
  expect(noticeUnmatched([], { tools: [], servers: [starting] }, "zh")).toEqual([]);
});

test("a missing server is told where a pattern may mean its tools and matches others, and once where it matches none", async () => {
  const model = scriptedModel(Array(5).fill("Hello."));
  const none = { command: "/nonexistent/server" };
  const duet = await duetWith({ models: { functionCall: model, alone: true } }, { mcpServers: { none } });
  await duet.servers.waitForStatus();
  const codesFor = async (...tools: string[]): Promise<string[]> => {
    const { outcome } = await askAs(duet, {}, "Hello", { tools });
    return outcome.notices?.map(({ code }) => code) ?? [];
  };
  expect(await codesFor("*")).toEqual(["server-unavailable"]);
  expect(await codesFor("calculator", "*r")).toEqual(["server-unavailable"]);
  expect(await codesFor("*__status")).toEqual(["server-unavailable", "tools-unmatched"]);
  expect(await codesFor("*", "none__*")).toEqual(["tools-unmatched"]);
  expect(await codesFor("calc*")).toEqual([]);
});

test("a refused sign-in comes with what to do, however much the server has said", () => {
  const error = new DuetError({
    code: "auth",
    text: { zh: `登录被拒绝：${"x".repeat(400)}`, en: `the sign-in was refused: ${"x".repeat(400)}` },
    hint: { zh: "请运行 duet login far", en: "Run: duet login far" },
  });
  const far = { name: "far", state: "failed", error, lastError: null, waiting: 0 } as ServerStatus;
  const [unavailable] = noticeUnavailable([far], new Set(), "en");
  const [unmatched] = noticeUnmatched(["far__*"], { tools: [], servers: [far] }, "en");
  const [missing] = listMissingServers([far]);
  const told = [unavailable?.message, unmatched?.message, missing?.why.en];
  const why = expect.stringMatching(/the sign-in was refused: x+… Run: duet login far\)?$/);
  expect(told).toEqual([why, why, why]);
  for (const line of told) expect(line?.length).toBeLessThan(450);
});

test("servers that a reload takes away before they were wanted do not come back", async () => {
  const { duet } = await open();
  await duet.servers.configure([]);
  expect(await duet.servers.waitForStatus()).toEqual([]);
});

test("no server starts once the program is closing, also not for a question that had just begun", async () => {
  const { duet, hasStarted } = await open();
  const begun = Array.fromAsync(duet.ask({ question: "Hello" }));
  await duet.close();
  expect((await begun).at(-1)).toMatchObject({ outcome: { status: "cancelled" } });
  expect(await duet.servers.waitForStatus()).toEqual([]);
  expect(hasStarted()).toBe(false);
});
