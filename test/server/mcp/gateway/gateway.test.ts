import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isRecord } from "../../../../src/kit/json.ts";
import type { HostOutcome } from "../../../../src/server/mcp/agent/host-outcome.ts";
import { type HttpDuet, type HttpDuetSettings, openHttpDuet, startHttpDuet } from "../../../fakes/http-duet.ts";
import { messagesOf, modernHeaders, modernMeta } from "../../../fakes/http-interface.ts";
import {
  collect,
  compileCache,
  configFile,
  forManyStarts,
  type NpmServer,
  npmServer,
  program,
  programEnvironment,
  startProgram,
  temporaryFolder,
} from "../../../fakes/program.ts";
import { runWarmProgram } from "../../../fakes/warm-program.ts";
import { type Connect, connectV1, connectV2, type Host, type HostOptions, hosts, type Listed } from "./hosts.ts";

type Servers = Record<string, { command: string; args?: string[]; env?: Record<string, string> }>;

/** `duet serve --expose ...` as a host starts it. */
async function served(
  servers: Servers,
  more: string[] = ["--expose", "tools"],
  config: object = {},
): Promise<Extract<HostOptions, { command: string }>> {
  const file = await configFile({ mcpServers: servers, conversations: { store: "memory" }, ...config });
  return {
    command: process.execPath,
    args: [...forManyStarts, program, "serve", "--config", file, "--locale", "en", ...more],
    env: await programEnvironment(),
  };
}

/** The same in this process, over HTTP: for what does not depend on the way to the host. It ends with the test. */
async function inProcess(settings: Record<string, unknown> = {}): Promise<{ url: string }> {
  return addressOf(await startHttpDuet(inProcessOptions(await temporaryFolder(), settings)));
}

function inProcessOptions(home: string, settings: Record<string, unknown> = {}, listLimit?: number) {
  return {
    settings: { mcpServers: { below: offering() }, ...settings },
    environment: { PATH: process.env.PATH ?? "", DUET_HOME: home },
    exposing: { expose: "tools", listLimit } as const,
  };
}

function addressOf({ origin }: HttpDuet): { url: string } {
  return { url: `${origin}/mcp` };
}

async function opened(connect: Connect, options: HostOptions): Promise<Host> {
  const host = await connect(options);
  onTestFinished(() => host.close());
  return host;
}

function offering(...args: string[]) {
  return { command: process.execPath, args: [resolve("test/fakes/mcp-offering.ts"), ...args], env: compileCache() };
}

/** The tools of the same server without a gateway. */
async function listedDirectly({ command, args, env: own }: NpmServer): Promise<Listed[]> {
  // Some servers have more tools for clients that can be asked.
  const client = new Client({ name: "direct", version: "1" }, { capabilities: { elicitation: { form: {}, url: {} } } });
  const env = { PATH: process.env.PATH ?? "", HOME: tmpdir(), ...own };
  await client.connect(new StdioClientTransport({ command, args, env, stderr: "pipe" }));
  try {
    return (await client.listTools()).tools;
  } finally {
    await client.close();
  }
}

function realServers(folder: string) {
  return {
    everything: npmServer("mcp-server-everything"),
    filesystem: npmServer("mcp-server-filesystem", [folder]),
    memory: npmServer("mcp-server-memory"),
  };
}

/** What real servers list without a gateway, in the order of `realServers`: once for all hosts. */
let direct: Listed[][];

/** Gateways in this process that all hosts share: their servers below keep nothing of what a test does. */
interface Shared {
  /** Has the real servers below it. */
  real: HttpDuet;
  plain: HttpDuet;
  /** Denies `sum`. */
  ruled: HttpDuet;
  /** Has tools that weigh too much to be listed. */
  searching: HttpDuet;
}
let shared: Shared;
let sharedFolder: string;

beforeAll(async () => {
  sharedFolder = await mkdtemp(join(tmpdir(), "duet-test-"));
  direct = await Promise.all(Object.values(realServers(sharedFolder)).map(listedDirectly));
  const open = (name: string, settings = {}, listLimit?: number) =>
    openHttpDuet(inProcessOptions(join(sharedFolder, name), settings, listLimit));
  const [real, plain, ruled, searching] = await Promise.all([
    open("real", { mcpServers: realServers(sharedFolder) }),
    open("plain"),
    open("ruled", { tools: { deny: ["below__sum"] } }),
    open("searching", {}, 100),
  ]);
  shared = { real, plain, ruled, searching };
});

afterAll(async () => {
  await Promise.all(Object.values(shared).map((duet) => duet.close()));
  await rm(sharedFolder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

async function journalOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

function seen({ execution: _, ...shown }: Listed) {
  return shown;
}

describe.each(hosts)("a gateway for %s", (_, connect) => {
  let folder: string;
  let journal: string;
  /** One that most tests share: nothing that they do is in the way of another. */
  let host: Host;
  /** Its user. */
  let onQuestion: NonNullable<HostOptions["onQuestion"]> = () => ({ action: "cancel" });
  let onMessage: NonNullable<HostOptions["onMessage"]> = () => {};
  let onToolsChanged: NonNullable<HostOptions["onToolsChanged"]> = () => {};
  let onUpdated: NonNullable<HostOptions["onUpdated"]> = () => {};

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "duet-test-"));
    journal = join(folder, "journal");
    const file = join(folder, "duet.config.json");
    const config = {
      mcpServers: { below: offering("--journal", journal) },
      conversations: { store: "memory" },
      tools: { newTools: "allow" },
    };
    await writeFile(file, JSON.stringify(config));
    host = await connect({
      command: process.execPath,
      args: [...forManyStarts, program, "serve", "--config", file, "--locale", "en", "--expose", "tools"],
      env: { PATH: process.env.PATH ?? "", HOME: folder },
      onQuestion: (params) => onQuestion(params),
      onMessage: (message) => onMessage(message),
      onToolsChanged: () => onToolsChanged(),
      onUpdated: (uri) => onUpdated(uri),
    });
  });

  afterAll(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("tools of real servers come as they are listed, but for their names, and so do their results", async () => {
    await writeFile(join(sharedFolder, "note.txt"), "remember the milk");
    const real = await opened(connect, addressOf(shared.real));
    const listed = await real.listTools();
    const expected = Object.keys(realServers(sharedFolder)).flatMap((server, index) =>
      (direct[index] ?? [])
        .filter(({ execution }) => !(isRecord(execution) && execution.taskSupport === "required"))
        .map((tool) => seen({ ...tool, name: `${server}__${tool.name}` })),
    );
    expect(listed.filter(({ name }) => name.includes("__")).map(seen)).toEqual(expected);
    expect(listed.map(({ name }) => name)).toContain("calculator");

    expect(await real.call("everything__get-sum", { a: 2, b: 3 })).toMatchObject({
      content: [{ type: "text", text: "The sum of 2 and 3 is 5." }],
    });
    const weather = await real.call("everything__get-structured-content", { location: "New York" });
    expect(weather.structuredContent).toEqual({ temperature: 33, conditions: "Cloudy", humidity: 82 });
    const image = await real.call("everything__get-tiny-image");
    expect(image.content[1]).toMatchObject({ type: "image", mimeType: "image/png" });
    const note = await real.call("filesystem__read_text_file", { path: join(sharedFolder, "note.txt") });
    expect(note.structuredContent).toEqual({ content: "remember the milk" });
    expect(await real.call("memory__read_graph")).toMatchObject({ structuredContent: { entities: [], relations: [] } });
    expect(await real.call("calculator", { expression: "6*7" })).toMatchObject({ content: [{ text: "6*7 = 42" }] });
  });

  test("blocks of every type arrive, one that MCP does not know as a text that says so", async () => {
    const { content } = await host.call("below__blocks");
    expect(content).toMatchObject([
      { type: "text", text: "words", annotations: { audience: ["user"], priority: 0.5 } },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "offering://note/1", text: "a note" } },
      { type: "resource_link", uri: "offering://hidden/7", name: "seven" },
      { type: "text", text: '[content of the unknown type "hologram", omitted]' },
    ]);
    // A link is to be followed, also where no list and no template names it.
    expect((await host.read("offering://hidden/7")).contents[0]?.text).toBe("offering says offering://hidden/7");
  });

  test("a tool that does not give what its output schema promises is an error that says that it ran", async () => {
    await host.listTools();
    const result = await host.call("below__liar");
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain("The tool has run");
    expect(result.content.slice(1)).toEqual([{ type: "text", text: "did it" }]);
    expect(await host.call("below__fails")).toMatchObject({ isError: true, content: [{ text: "no such city" }] });
    const misfit = await host.call("below__lies");
    expect(misfit.isError).toBe(true);
    expect(misfit.content[0]?.text).toMatch(/^The tool has run, but .+ does not fit its output schema \(x: .+"one"/);
    expect(misfit.content.slice(1)).toEqual([
      { type: "text", text: "did that" },
      { type: "text", text: '{"x":"one"}' },
    ]);
    // Of an error hosts check it as well.
    const failed = await host.call("below__lies", { fails: true });
    expect(failed).toMatchObject({ isError: true, content: [{ type: "text", text: "did that" }] });
    expect(failed.structuredContent).toBeUndefined();
    const silent = { isError: true, content: [{ text: "The tool reported an error without a message." }] };
    expect(await host.call("below__fails-silently")).toMatchObject(silent);
  });

  test("arguments that do not fit never reach the server, and a tool that is not there is an error", async () => {
    const result = await host.call("below__sum", { a: "not a number", b: 2 });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain("a: ");
    expect(await journalOf(journal)).not.toContain("not a number");
    await expect(host.call("below__nothing")).rejects.toThrow(/below__nothing not found/);
  });

  test("progress is passed on as the server counts it, each notification, before the result", async () => {
    // What the official clients drop is still seen here: those of the 2026 era do not say when they have read, and a busy one reads the
    // last notifications together with the result.
    const seen: Record<string, unknown>[] = [];
    onMessage = (message) => seen.push(message);
    await host.call("below__steps", {}, { onprogress: () => {} });
    const counted = Array.from({ length: 150 }, (_, index) => index + 1);
    const told = seen.filter(({ method }) => method === "notifications/progress");
    expect(told.map(({ params }) => params)).toMatchObject(
      counted.map((count) => ({ progress: count, total: 150, message: `step ${count}` })),
    );
    expect(seen.at(-1)).toMatchObject({ result: { content: [{ text: "done" }] } });
  });

  test("a cancel reaches the server below, and the connection goes on", async () => {
    const stop = new AbortController();
    const call = host.call("below__hang", {}, { signal: stop.signal });
    call.catch(() => {});
    await expect.poll(() => journalOf(journal)).toContain('"name":"hang"');
    stop.abort("user stop");
    await expect(call).rejects.toThrow();
    await expect.poll(() => journalOf(journal)).toContain("notifications/cancelled");
    expect(await host.call("below__sum", { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
  });

  test("questions from below are shown by the host under the server's name, and their answers go down", async () => {
    const asked: string[] = [];
    onQuestion = ({ message, requestedSchema }) => {
      asked.push(`${message} ${Object.keys((requestedSchema as { properties: object }).properties)}`);
      return { action: "accept", content: asked.length === 1 ? { city: "Oslo" } : { street: "Storgata" } };
    };
    const result = await host.call("below__ask-twice");
    expect(asked).toEqual(["[below] Which city? city", "[below] Which street? street"]);
    expect(JSON.parse(String(result.content[0]?.text))).toMatchObject([
      { action: "accept", content: { city: "Oslo" } },
      { action: "accept", content: { street: "Storgata" } },
    ]);
  });

  test("a no and a dismissal go down as they are, and for a host that cannot ask nobody gives an answer", async () => {
    onQuestion = () => ({ action: "decline" });
    expect(await host.call("below__ask-twice")).toMatchObject({ content: [{ text: "first: decline" }] });
    onQuestion = () => ({ action: "cancel" });
    expect(await host.call("below__ask-twice")).toMatchObject({ content: [{ text: "first: cancel" }] });
    const dismissed = await host.call("below__wipe");
    expect(dismissed.content[0]?.text).toContain("the user dismissed the question");
    const mute = await opened(connect, addressOf(shared.plain));
    expect(await mute.call("below__ask-twice")).toMatchObject({ content: [{ text: "first: refused" }] });
    const unanswered = await mute.call("below__wipe");
    expect(unanswered.isError).toBe(true);
    expect(unanswered.content[0]?.text).toContain("nobody can be asked");
  });

  test("an address to go to is shown with the server's name", async () => {
    const asked: unknown[] = [];
    onQuestion = (params) => {
      asked.push(params);
      return { action: "accept" };
    };
    const result = await host.call("below__ask-url");
    expect(asked).toMatchObject([{ mode: "url", message: "[below] Sign in", url: "https://example.com/in" }]);
    expect(result.content[0]?.text).toContain('"accept"');
  });

  test("pages that a server wants opened before a call are asked about one by one, and the call is not repeated", async () => {
    const asked: unknown[] = [];
    let action = "accept";
    onQuestion = ({ mode, message, url }) => {
      asked.push([mode, message, url]);
      return { action };
    };
    const next = "https://example.com/two";
    const agreed = await host.call("below__need-url", { next });
    const message = "[below] Grant access";
    expect(asked).toEqual([
      ["url", message, "https://example.com/grant"],
      ["url", message, next],
    ]);
    expect(agreed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("Try again once") }] });
    action = "decline";
    const declined = await host.call("below__need-url", { next });
    expect(asked).toHaveLength(3);
    expect(declined).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("The user declined.") }],
    });
  });

  test("pages that a host cannot open are in the text of the result, each once, and those that may not be shown as a number", async () => {
    const mute = await opened(connect, addressOf(shared.plain));
    const result = await mute.call("below__need-url");
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain(
      "the user has to open these pages first: https://example.com/grant (Grant access) (not shown: 1 more)",
    );
    expect(JSON.stringify(result)).not.toContain("javascript:");
    const same = await mute.call("below__need-url", { next: "https://example.com/grant" });
    expect(String(same.content[0]?.text).match(/example\.com/g)).toHaveLength(1);
  });

  test("a call that needs consent is asked about in full, and runs only after a yes", async () => {
    const asked: string[] = [];
    const answers = [{ action: "decline" }, { action: "accept", content: {} }];
    onQuestion = ({ message }) => {
      asked.push(String(message));
      return answers[asked.length - 1] ?? { action: "cancel" };
    };
    const args = { everything: ["yes", { and: "more" }] };
    const declined = await host.call("below__wipe", args);
    expect(declined.isError).toBe(true);
    expect(declined.content[0]?.text).toContain("did not agree");
    expect(await journalOf(journal)).not.toContain('"and":"more"');
    expect(await host.call("below__wipe", args)).toMatchObject({ content: [{ text: "wiped" }] });
    expect(asked[0]).toContain("below__wipe");
    expect(asked[0]).toContain("*:destructive");
    expect(asked[0]).toContain('"and": "more"');
  });

  test("the rules hold here too: what is denied is neither listed nor called", async () => {
    const ruled = await opened(connect, addressOf(shared.ruled));
    const names = (await ruled.listTools()).map(({ name }) => name);
    expect(names).toContain("below__trace");
    expect(names).not.toContain("below__sum");
    await expect(ruled.call("below__sum", { a: 1, b: 2 })).rejects.toThrow(/not found/);
  });

  test("the trace context goes down, and what a result says in its _meta comes up", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const meta = { traceparent, tracestate: "vendor=1", baggage: "user=7", "duet/depth": 1 };
    const result = await host.call("below__trace", {}, { meta });
    expect(JSON.parse(String(result.content[0]?.text))).toMatchObject({
      traceparent,
      tracestate: "vendor=1",
      baggage: "user=7",
      "duet/depth": 2,
    });
    expect(result._meta).toMatchObject({
      traceparent: "00-11111111111111111111111111111111-2222222222222222-01",
      "example.com/cost": 3,
    });
  });

  test("a call that has come round a circle of agents is refused", async () => {
    const result = await host.call("below__sum", { a: 12345, b: 2 }, { meta: { "duet/depth": 3 } });
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain("in a loop");
    expect(await journalOf(journal)).not.toContain("12345");
  });

  test("arguments that are nested too deep are refused, and not as a fault of ours", async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`);
    const result = await host.call("below__sum", deep);
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("at most 64") }] });
    expect(JSON.stringify(result)).not.toContain("fault of the program");
  });

  test("a list and a resource that change below are announced above, and the list has changed", async () => {
    let changes = 0;
    const updated: string[] = [];
    onToolsChanged = () => void changes++;
    onUpdated = (uri) => void updated.push(uri);
    const before = await host.listTools();
    await host.call("below__grow");
    await expect.poll(() => changes).toBeGreaterThan(0);
    const names = (await host.listTools()).map(({ name }) => name);
    expect(names).toEqual([...before.map(({ name }) => name), "below__grown"]);
    expect(await host.call("below__grown")).toMatchObject({ content: [{ text: "here" }] });
    await host.subscribe("offering://about");
    // A stream of the new revision is open before its server below has agreed.
    const touch = () => host.call("below__touch", { uri: "offering://about" }).then(() => updated[0]);
    await expect.poll(touch).toBe("offering://about");
  });

  test("prompts, resources, templates and completions of the servers are there", async () => {
    expect(await host.listPrompts()).toMatchObject([
      { name: "below__greet", title: "Greet", description: "Greets", arguments: [{ name: "who", required: true }] },
      { name: "below__Long", description: "Gives many lines." },
    ]);
    expect(await host.getPrompt("below__greet", { who: "Ada" })).toMatchObject({
      messages: [{ role: "user", content: { type: "text", text: "Greet Ada" } }],
    });
    await expect(host.getPrompt("below__nothing", {})).rejects.toThrow(/below__nothing not found/);
    expect(await host.listResources()).toMatchObject([{ uri: "offering://about", name: "about" }, {}]);
    expect(await host.listTemplates()).toMatchObject([{ uriTemplate: "offering://note/{id}", name: "notes" }]);
    expect((await host.read("offering://about")).contents).toMatchObject([{ text: "offering says offering://about" }]);
    expect((await host.read("offering://note/4")).contents).toMatchObject([
      { text: "offering says offering://note/4" },
    ]);
    await expect(host.read("nobody://x")).rejects.toThrow(/nobody:\/\/x/);
    const none = "offering://note/none";
    await expect(host.read(none)).rejects.toMatchObject({ code: -32602, data: { uri: none } });
    const nobodyGreeted = host.getPrompt("below__greet", { who: "nobody" });
    await expect(nobodyGreeted).rejects.toMatchObject({ code: -32602, data: { argument: "who" } });
    const who = { name: "who", value: "A" };
    const ada = { completion: { values: ["Ada", "Alan"] } };
    expect(await host.complete({ type: "ref/prompt", name: "below__greet" }, who)).toMatchObject(ada);
    expect(await host.complete({ type: "ref/resource", uri: "offering://note/{id}" }, who)).toMatchObject(ada);
    const nobody = { completion: { values: [] } };
    expect(await host.complete({ type: "ref/prompt", name: "other" }, who)).toMatchObject(nobody);
  });

  test("tools that weigh too much are found and called, with progress and questions as any other", async () => {
    const options = addressOf(shared.searching);
    const searching = await opened(connect, { ...options, onQuestion: () => ({ action: "decline" }) });
    expect((await searching.listTools()).map(({ name }) => name)).toEqual(["find_tools", "call_tool"]);
    const found = await searching.call("find_tools", { query: "adds numbers", limit: 2 });
    const [sum] = (found.structuredContent as { tools: Listed[] }).tools;
    expect(sum).toMatchObject({ name: "below__sum", inputSchema: { required: ["a", "b"] } });
    expect(JSON.parse(String(found.content[0]?.text))[0]).toEqual(sum);
    const called = await searching.call("call_tool", { name: "below__sum", arguments: { a: 2, b: 3 } });
    expect(called.structuredContent).toEqual({ sum: 5 });
    const written = await searching.call("call_tool", { name: "below__sum", arguments: '{"a":2,"b":4}' });
    expect(written.structuredContent).toEqual({ sum: 6 });
    const deep = `{"a":${"[".repeat(70)}${"]".repeat(70)}}`;
    const tooDeep = await searching.call("call_tool", { name: "below__sum", arguments: deep });
    expect(tooDeep).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("64") }] });
    const asked = await searching.call("call_tool", { name: "below__ask-twice" });
    expect(asked.content[0]?.text).toBe("first: decline");
    const none = await searching.call("call_tool", { name: "nothing" });
    expect(none).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("find_tools") }] });
    expect(JSON.stringify(none)).not.toContain("fault of the program");
    const wrong = await searching.call("find_tools", { limit: 2 });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("query") }] });
  });
});

describe("duet serve --expose", () => {
  test("agent_ask stays what it is beside the tools, and alone where nothing else is asked for", async () => {
    const home = await temporaryFolder();
    const open = async (exposing: HttpDuetSettings["exposing"]) =>
      startHttpDuet({ ...inProcessOptions(home), exposing });
    const duets = await Promise.all([open({}), shared.plain, open({ expose: "both" })]);
    const [agentHost, toolsHost, host] = await Promise.all(
      duets.map((duet) => opened(connectV2("legacy"), addressOf(duet))),
    );
    const lists = await Promise.all([agentHost, toolsHost, host].map((each) => each?.listTools()));
    const [agent = [], tools = [], both = []] = lists;
    expect(agent.map(({ name }) => name)).toEqual(["agent_ask", "agent_result", "agent_cancel", "agent_message"]);
    expect(both.slice(0, agent.length)).toEqual(agent);
    expect(both.slice(agent.length)).toEqual(tools);
    expect(tools.map(({ name }) => name)).not.toContain("agent_ask");
    const bad = await host?.call("agent_ask", { question: "x", max_iterations: 11 });
    expect(bad?.isError).toBe(true);
    expect(JSON.stringify(bad?.content)).toContain("max_iterations");
  });

  test("the calls of an agent belong to the trace of whoever asks it", async () => {
    const duet = await startHttpDuet({
      ...inProcessOptions(await temporaryFolder()),
      turns: [[{ id: "1", name: "below__trace", input: {} }], "Traced."],
      exposing: { expose: "both" },
    });
    const host = await opened(connectV2("auto"), addressOf(duet));
    const id = "0af7651916cd43dd8448eb211c80319c";
    const meta = { traceparent: `00-${id}-b7ad6b7169203331-01`, tracestate: "vendor=1" };
    const { structuredContent } = await host.call("agent_ask", { question: "Trace it.", detail: "full" }, { meta });
    const { trace_id, tool_calls } = structuredContent as HostOutcome;
    expect(trace_id).toBe(id);
    expect(tool_calls[0]?.result).toMatch(new RegExp(`"traceparent":"00-${id}-(?!b7ad6b7169203331)[0-9a-f]{16}-01"`));
    expect(tool_calls[0]?.result).toContain("vendor=1");
  });

  test("a tool that came later is approved by another process, and the host is told of it", async () => {
    let changes = 0;
    const options = await served({ below: offering() }, undefined, { conversations: { store: "disk" } });
    const growing = await opened(connectV1, { ...options, onToolsChanged: () => void changes++ });
    await growing.listTools();
    await growing.call("below__grow");
    const config = options.args[options.args.indexOf("--config") + 1] ?? "";
    // That process starts the server, too, which has no such tool there.
    const approve = () =>
      runWarmProgram(["tools", "approve", "below__grown", "--yes", "--config", config], { env: options.env });
    await expect.poll(approve).toMatchObject({ code: 0, stderr: "Approved below__grown\n" });
    await expect.poll(() => changes).toBeGreaterThan(0);
    expect((await growing.listTools()).map(({ name }) => name)).toContain("below__grown");
    expect(await growing.call("below__grown")).toMatchObject({ content: [{ text: "here" }] });
  });

  test("an answer to a question that nobody asked is refused with what it names", async () => {
    const answers: unknown[] = [];
    for (const [method, params] of [
      ["tools/call", { name: "below__sum", arguments: { a: 1, b: 2 } }],
      ["prompts/get", { name: "below__greet" }],
    ] as const) {
      const forged = { _meta: modernMeta, requestState: "forged-1", inputResponses: {} };
      const response = await fetch(addressOf(shared.plain).url, {
        method: "POST",
        headers: modernHeaders(method, params.name),
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, ...forged } }),
      });
      answers.push(messagesOf(await response.text()).at(-1));
    }
    // A result would say that the tool has run with a state that its server never gave out.
    const refusal = { error: { code: -32602, message: expect.stringContaining('"forged-1"') } };
    expect(answers).toMatchObject([refusal, refusal]);
    expect(JSON.stringify(answers)).not.toContain("fault of the program");
  });

  test("the operator is told once how many tools wait, whatever is exposed", async () => {
    const folder = await temporaryFolder();
    const say = join(folder, "say.json");
    const tool = (name: string) => ({ name, description: name, inputSchema: { type: "object" } });
    const list = (...names: string[]) => writeFile(say, JSON.stringify({ lists: [names.map(tool)] }));
    const below = {
      command: process.execPath,
      args: [resolve("test/fakes/mcp-metadata.ts"), "--say", say],
      env: compileCache(),
    };
    const file = await configFile({ mcpServers: { below } });
    const env = await programEnvironment({ DUET_HOME: join(folder, "home") });
    await list("one");
    await runWarmProgram(["tools", "list", "--config", file], { env });
    await list("one", "two", "three");
    const line =
      "duet: Tools that are new or changed and are not used until approved: 2 (below); run duet tools approve\n";
    for (const exposed of ["both", "agent"]) {
      const child = await startProgram(["serve", "--config", file, "--locale", "en", "--expose", exposed], { env });
      const finished = collect(child);
      let err = "";
      child.stderr.on("data", (text) => {
        err += text;
      });
      await expect.poll(() => err).toBe(line);
      child.stdin.end();
      expect(await finished).toMatchObject({ code: 0, stderr: line });
    }
  });

  test("a choice that is none is refused in one line", async () => {
    const { code, stderr } = await runWarmProgram(["serve", "--expose", "all"]);
    expect(code).toBe(2);
    expect(stderr.trim().split("\n")).toEqual([expect.stringContaining("expose")]);
  });

  test("the MCP Inspector's command line lists and calls a tool of a server, and finds its page", async () => {
    const env = await programEnvironment();
    async function inspect(...method: string[]): Promise<string> {
      const { stdout } = await promisify(execFile)(
        resolve("node_modules/.bin/mcp-inspector"),
        // In inspector.test.ts it is the client of the other era, or over stdio.
        ["--cli", addressOf(shared.plain).url, "--protocol-era", "legacy", "--connect-timeout", "120000", ...method],
        { cwd: env.HOME, env },
      );
      return stdout;
    }
    const apps = (await inspect("--method", "tools/list", "--app-info")).trim().split("\n");
    const found = apps.map((line) => JSON.parse(line));
    expect(found).toContainEqual({ hasApp: false, toolName: "below__sum" });
    expect(found).toContainEqual(
      expect.objectContaining({
        ...{ hasApp: true, toolName: "below__paged", resourceUri: "ui://offering/page.html" },
        ...{ prefersBorder: true, resourceMimeType: "text/html;profile=mcp-app" },
      }),
    );
    const call = ["--method", "tools/call", "--tool-name", "below__sum", "--tool-arg", "a=2", "b=3"];
    expect(JSON.parse(await inspect(...call))).toMatchObject({ structuredContent: { sum: 5 } });
  });
});

test("a tool that came later waits to be approved: each host is told so, and not that it is missing", async () => {
  const waits = { isError: true, content: [{ text: expect.stringContaining("duet tools approve") }] };
  const options = await inProcess();
  const all = await Promise.all(hosts.map(([, connect]) => opened(connect, options)));
  await all[0]?.call("below__grow");
  for (const host of all) {
    await expect.poll(() => host.call("below__grown").catch(() => undefined)).toMatchObject(waits);
    expect(await host.call("call_tool", { name: "below__grown" })).toMatchObject(waits);
    expect((await host.listTools()).map(({ name }) => name)).not.toContain("below__grown");
  }
});

test("each caller of one server is asked its own question, and a dialog that stands open is in nobody's way", async () => {
  const { url } = addressOf(shared.plain);
  const accept = { action: "accept", content: { city: "Oslo", street: "Storgata" } };
  const shown = Promise.withResolvers<void>();
  const slow = await connectV2("auto")({
    url,
    onQuestion() {
      shown.resolve();
      return new Promise(() => {});
    },
  });
  const [modern, session] = await Promise.all([
    opened(connectV2("auto"), { url, onQuestion: () => accept }),
    opened(connectV1, { url, onQuestion: () => accept }),
  ]);
  // The client waits for its own person, whatever becomes of its connection.
  slow.call("below__ask-twice").catch(() => {});
  await shown.promise;
  const answered = { content: [{ text: expect.stringContaining("Storgata") }] };
  const calls = [modern, modern, session].map((host) => host.call("below__ask-twice"));
  expect(await Promise.all(calls)).toMatchObject([answered, answered, answered]);
  await slow.close();
  expect(await session.call("below__ask-twice")).toMatchObject(answered);
});
