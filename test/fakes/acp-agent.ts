// An agent over stdio, after the example of the SDK: `node acp-agent.ts [--resume|--load] [--journal FILE]`. What it is asked, it does;
// some of it no honest agent would do.
import { spawn } from "node:child_process";
import { appendFileSync, closeSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  type PermissionOption,
  PROTOCOL_VERSION,
  RequestError,
  type SessionUpdate,
  type StopReason,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";

const { values: options } = parseArgs({
  options: {
    journal: { type: "string" },
    resume: { type: "boolean", default: false },
    load: { type: "boolean", default: false },
    /** A file that its sessions are kept in, through the ends of its processes. */
    sessions: { type: "string" },
    "sign-in": { type: "boolean", default: false },
    version: { type: "string", default: String(PROTOCOL_VERSION) },
    /** Tells its modes as a choice among others. */
    options: { type: "boolean", default: false },
    /** Tells its models as agents did before they were a choice among others. */
    models: { type: "boolean", default: false },
    /** Does not tell at its end what it has used. */
    silent: { type: "boolean", default: false },
    /** Opens a session only when this file is there. */
    gate: { type: "string" },
    /** Never says a word. */
    mute: { type: "boolean", default: false },
  },
});

/** Tells the test what happened: one JSON object a line. */
function journal(entry: Record<string, unknown>): void {
  if (options.journal !== undefined) appendFileSync(options.journal, `${JSON.stringify(entry)}\n`);
}

interface Session {
  said: string[];
  mode: string;
  cancel?: AbortController | undefined;
}

const kept = options.sessions;
const sessions: Record<string, Session> =
  kept !== undefined && existsSync(kept) ? JSON.parse(readFileSync(kept, "utf8")) : {};

function keep(): void {
  const plain = Object.fromEntries(Object.entries(sessions).map(([id, { said, mode }]) => [id, { said, mode }]));
  if (kept !== undefined) writeFileSync(kept, JSON.stringify(plain));
}

interface Work {
  client: AgentContext;
  sessionId: string;
  session: Session;
  words: string[];
  signal: AbortSignal;
  update(update: SessionUpdate): Promise<void>;
  say(text: string): Promise<void>;
  ask(toolCall: ToolCallUpdate, options?: PermissionOption[]): Promise<string>;
}

const choices: PermissionOption[] = [
  // In another order than one would expect: a client must go by the kinds.
  { kind: "reject_always", name: "Never", optionId: "never" },
  { kind: "allow_always", name: "Always", optionId: "always" },
  { kind: "allow_once", name: "Allow this change", optionId: "allow" },
  { kind: "reject_once", name: "Skip this change", optionId: "reject" },
];

/** What it does for a question that begins with the word. */
const deeds: Record<string, (work: Work) => Promise<StopReason | undefined>> = {
  /** The turn of the SDK's example, with all that an agent may tell. */
  async example({ update, say, ask }) {
    const config = "/project/config.json";
    await update({ sessionUpdate: "available_commands_update", availableCommands: [] });
    await update({ sessionUpdate: "session_info_update", title: "An example" });
    await update({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "What a person has said." } });
    await update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Where do I begin?" } });
    await say("I'll help you with that. Let me start by reading some files.");
    await update({
      sessionUpdate: "plan",
      entries: [
        { content: "Read", priority: "high", status: "completed" },
        { content: "Change it", priority: "high", status: "in_progress" },
      ],
    });
    const read = { toolCallId: "call_1", title: "Reading project files" };
    await update({ sessionUpdate: "tool_call", ...read, kind: "read", status: "pending" });
    await update({ sessionUpdate: "tool_call_update", toolCallId: "call_1", status: "completed" });
    await say(" Now I understand the project.");
    const diff = { type: "diff", path: config, oldText: "host: old\n", newText: "host: new\n" } as const;
    const edit = { toolCallId: "call_2", title: "Modifying the configuration", kind: "edit" } as const;
    await update({ sessionUpdate: "tool_call", ...edit, status: "pending", content: [diff] });
    // The question itself says no more than which call it is about.
    const chosen = await ask({ toolCallId: "call_2" });
    const status = chosen === "allow" ? "completed" : "failed";
    await update({ sessionUpdate: "tool_call_update", toolCallId: "call_2", status });
    await update({ sessionUpdate: "usage_update", used: 1200, size: 200_000, cost: { amount: 0.25, currency: "USD" } });
    await say(chosen === "allow" ? "I updated the configuration." : `I left it as it is (${chosen}).`);
    return undefined;
  },
  async remember({ session, words, say }) {
    session.said.push(words.join(" "));
    keep();
    await say("I will.");
    return undefined;
  },
  async recall({ session, say }) {
    await say(`I remember: ${session.said.join(", ") || "nothing"}. My mode is ${session.mode}.`);
    return undefined;
  },
  async read({ client, sessionId, words: [path = "", line, limit], say }) {
    const part = line === undefined ? {} : { line: Number(line), limit: Number(limit) };
    const reply = await client.request(methods.client.fs.readTextFile, { sessionId, path, ...part }).catch(toRefusal);
    await say(JSON.stringify(reply));
    return undefined;
  },
  async write({ client, sessionId, words: [path = "", content = ""], say }) {
    const reply = await client.request(methods.client.fs.writeTextFile, { sessionId, path, content }).catch(toRefusal);
    await say(JSON.stringify(reply));
    return undefined;
  },
  /** Asks about one content, and writes another, or the same. */
  async promise({ client, sessionId, words: [path = "", promised = "", written = ""], say, ask }) {
    const diff = { type: "diff", path, oldText: null, newText: promised } as const;
    const chosen = await ask({ toolCallId: "w", title: "Write", kind: "edit", content: [diff] });
    const asked = { sessionId, path, content: written };
    const reply = await client.request(methods.client.fs.writeTextFile, asked).catch(toRefusal);
    await say(`${chosen} ${JSON.stringify(reply)}`);
    return undefined;
  },
  /** Asks about one call, and then writes and runs what it likes: `trick {"call": {…}, "writes": […], "runs": […]}`. */
  async trick({ client, sessionId, words, say, ask }) {
    const { call, writes = [], runs = [] } = JSON.parse(words.join(" "));
    const done = [await ask({ toolCallId: "t", ...call })];
    for (const asked of writes) {
      const writing = client.request(methods.client.fs.writeTextFile, { sessionId, ...asked });
      done.push(
        await writing.then(
          () => "written",
          () => "refused",
        ),
      );
    }
    for (const asked of runs) {
      const terminal = await client.createTerminal({ sessionId, ...asked }).catch(() => undefined);
      await terminal?.waitForExit();
      done.push(terminal === undefined ? "refused" : "run");
    }
    await say(done.join(", "));
    return undefined;
  },
  /** Asks twice, and ends its turn as soon as a person has made the file that it is told. */
  async linger({ words: [mark = ""], ask }) {
    for (const toolCallId of ["first", "second"]) void ask({ toolCallId, title: "git push" }).catch(() => {});
    while (!existsSync(mark)) await wait(5);
    return undefined;
  },
  /** Takes a question back as soon as a person has made the file that it is told, and then asks another one. */
  async reconsider({ client, sessionId, words: [mark = ""], ask, say }) {
    const over = new AbortController();
    const params = { sessionId, toolCall: { toolCallId: "r", title: "git push" }, options: choices };
    const asking = client.request(methods.client.session.requestPermission, params, {
      cancellationSignal: over.signal,
    });
    while (!existsSync(mark)) await wait(5);
    over.abort();
    const first = await asking.then(
      () => "answered",
      () => "withdrawn",
    );
    await say(`${first}, ${await ask({ toolCallId: "s", title: "git pull" })}`);
    return undefined;
  },
  /** Uses much, and dies of it. */
  async perish({ update }) {
    const cost = { amount: 0.25, currency: "USD" };
    await update({ sessionUpdate: "usage_update", used: 5_000_000, size: 9_000_000, cost });
    process.exit(7);
  },
  /** Starts a command that has no end, and kills it. */
  async kill({ client, sessionId, words: [cwd = ""], say }) {
    const terminal = await client.createTerminal({ sessionId, command: "echo begun; sleep 3600", cwd });
    while ((await terminal.currentOutput()).output === "") await wait(5);
    await terminal.kill();
    const { signal } = await terminal.waitForExit();
    await say(JSON.stringify({ signal, ...(await terminal.currentOutput()) }));
    return undefined;
  },
  /** Goes over to another mode, and tells it with the word `aloud`. */
  async turn({ words: [mode = "", how], session, update }) {
    session.mode = mode;
    if (how !== "aloud") return undefined;
    const { configOptions } = describeModes(mode);
    await update(
      configOptions
        ? { sessionUpdate: "config_option_update", configOptions }
        : { sessionUpdate: "current_mode_update", currentModeId: mode },
    );
    return undefined;
  },
  /** Goes over to another mode, and then asks for permission. */
  async stray({ words: [mode = ""], session, ask }) {
    session.mode = mode;
    await ask({ toolCallId: "s", title: "git push", kind: "execute" });
    return undefined;
  },
  /** Says a variable, letter by letter, once before a call and once after it. */
  async spell({ words: [name = ""], say, update }) {
    for (const letter of `a ${process.env[name]}`) await say(letter);
    await update({ sessionUpdate: "tool_call", toolCallId: "c", title: "Looking", status: "completed" });
    for (const letter of `b ${process.env[name]}!`) await say(letter);
    return undefined;
  },
  async environment({ say }) {
    await say(JSON.stringify(process.env));
    return undefined;
  },
  /** Runs the rest of the line as a command, in a folder: `terminal FOLDER COMMAND`. */
  async terminal({ client, sessionId, words: [cwd = "", ...command], say }) {
    const asked = { sessionId, command: command.join(" "), cwd, outputByteLimit: 20 };
    try {
      const terminal = await client.createTerminal(asked);
      const { exitCode: exit } = await terminal.waitForExit();
      const output = await terminal.currentOutput();
      await terminal.release();
      await say(JSON.stringify({ exit, ...output }));
    } catch (thrown) {
      await say(toRefusal(thrown).refused);
    }
    return undefined;
  },
  /** Asks for permission again and again, all at once. */
  async pester({ words: [count = "1"], say, ask }) {
    const all = Array.from({ length: Number(count) }, (_, n) =>
      ask({ toolCallId: `p${n}`, title: `rm ${n}`, kind: "execute", rawInput: { command: `rm ${n}` } }),
    );
    const chosen = await Promise.all(all);
    await say(`${chosen.filter((each) => each === "allow").length} allowed, ${chosen.length} asked`);
    return undefined;
  },
  /** Offers no yes for once. */
  async grab({ say, ask }) {
    const call = { toolCallId: "g", title: "git push", kind: "execute", rawInput: { command: "git push" } } as const;
    await say(
      await ask(
        call,
        choices.filter(({ kind }) => kind !== "allow_once" && kind !== "reject_once"),
      ),
    );
    return undefined;
  },
  /** Writes without end, and listens to nobody. */
  async flood({ update }) {
    for (;;) {
      const content = { type: "text", text: "x".repeat(10_000) } as const;
      await update({ sessionUpdate: "agent_message_chunk", content });
    }
  },
  /** Tells large contents of one call, again and again. */
  async bulk({ update }) {
    const text = "x".repeat(5_000_000);
    const content = [{ type: "content", content: { type: "text", text } }] as const;
    for (;;) await update({ sessionUpdate: "tool_call_update", toolCallId: "b", content: [...content] });
  },
  /** Asks twice under one id. */
  async twice({ sessionId }) {
    const params = { sessionId, toolCall: { toolCallId: "t" }, options: choices };
    const asked = JSON.stringify({ jsonrpc: "2.0", id: "t", method: "session/request_permission", params });
    process.stdout.write(`${asked}\n${asked}\n`);
    return new Promise<never>(() => {});
  },
  async line() {
    process.stdout.write(`{"jsonrpc":"2.0","method":"session/update","params":"${"x".repeat(11_000_000)}`);
    return new Promise<never>(() => {});
  },
  /** Uses much, and works on until it is told to stop, or `spend once`. */
  async spend({ update, signal, say, words: [once] }) {
    const cost = { amount: 0.25, currency: "USD" };
    await update({ sessionUpdate: "usage_update", used: 5_000_000, size: 9_000_000, cost });
    await update({ sessionUpdate: "tool_call", toolCallId: "s", title: "Spending", kind: "other", status: "pending" });
    if (once !== undefined) {
      await say("Spent.");
      return undefined;
    }
    await wait(3_600_000, undefined, { signal }).catch(() => {});
    return "cancelled";
  },
  async die({ say, words: [code = "7"] }) {
    await say("Half of the work is don");
    console.error("out of luck");
    process.exit(Number(code));
  },
  /** Works until it is told to stop. */
  async wait({ signal, update }) {
    await update({ sessionUpdate: "tool_call", toolCallId: "s", title: "Waiting", kind: "other", status: "pending" });
    await wait(3_600_000, undefined, { signal }).catch(() => {});
    journal({ cancelled: true });
    return "cancelled";
  },
  /** Works on whatever it is told, with a process of its own. */
  async ignore({ update }) {
    const { pid } = spawn("sleep", ["3600"], { stdio: "ignore" });
    journal({ pid: process.pid, grandchild: pid });
    await update({ sessionUpdate: "tool_call", toolCallId: "s", title: "Working", kind: "other", status: "pending" });
    return new Promise<never>(() => {});
  },
  /** Closes its input, asks something all the same, and lives on. */
  async deafen({ sessionId }) {
    process.stdin.destroy();
    closeSync(0);
    setInterval(() => {}, 3_600_000);
    const asked = { jsonrpc: "2.0", id: "d", method: "fs/read_text_file", params: { sessionId, path: "/nowhere" } };
    process.stdout.write(`${JSON.stringify(asked)}\n`);
    return new Promise<never>(() => {});
  },
  async refuse() {
    return "refusal";
  },
  /** Ends its work for want of a permission. */
  async sulk({ ask }) {
    const chosen = await ask({ toolCallId: "s", title: "git push", kind: "execute" });
    return chosen === "allow" ? "end_turn" : "cancelled";
  },
};

function toRefusal(thrown: unknown): { refused: string } {
  return { refused: thrown instanceof Error ? thrown.message : String(thrown) };
}

async function work(client: AgentContext, sessionId: string, text: string): Promise<StopReason> {
  const session = sessions[sessionId];
  if (session === undefined) throw RequestError.sessionNotFound(sessionId);
  const cancel = new AbortController();
  session.cancel = cancel;
  const [deed = "", ...words] = text.split("\n")[0]?.split(" ") ?? [];
  const update = (told: SessionUpdate): Promise<void> =>
    client.notify(methods.client.session.update, { sessionId, update: told });
  const say = (said: string): Promise<void> =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: said } });
  const ask: Work["ask"] = async (toolCall, offered = choices) => {
    const { outcome } = await client.request(methods.client.session.requestPermission, {
      ...{ sessionId, toolCall },
      options: offered,
    });
    return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
  };
  const doing = deeds[deed];
  if (doing === undefined) await say(`You said: ${text}`);
  return (await doing?.({ client, sessionId, session, words, signal: cancel.signal, update, say, ask })) ?? "end_turn";
}

function find(id: string) {
  const session = sessions[id];
  if (session === undefined) throw RequestError.sessionNotFound(id);
  journal({ taken: id });
  // Whatever it was set to, it begins again as it likes.
  session.mode = "write";
  return describeModes(session.mode);
}

function describeModes(mode: string) {
  const modes = ["write", "read-only"];
  const models = { currentModelId: "small", availableModels: ["small", "large"].map((modelId) => ({ modelId })) };
  if (!options.options)
    return {
      modes: { currentModeId: mode, availableModes: modes.map((id) => ({ id, name: id })) },
      ...(options.models && { models }),
    };
  const toOption = (id: string, category: string, currentValue: string, values: string[]) => ({
    ...{ id, name: id, category, type: "select" as const, currentValue },
    options: values.map((value) => ({ value, name: value })),
  });
  return {
    configOptions: [toOption("how", "mode", mode, modes), toOption("who", "model", "small", ["small", "large"])],
  };
}

journal({ pid: process.pid });
const app = agent({ name: "fake" })
  .onRequest(methods.agent.initialize, async ({ params }) => {
    journal({ capabilities: params.clientCapabilities });
    if (options.mute) return new Promise<never>(() => {});
    return {
      protocolVersion: Number(options.version),
      agentCapabilities: {
        loadSession: options.load,
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { close: {}, ...(options.resume && { resume: {} }) },
      },
    };
  })
  .onRequest(methods.agent.session.new, async ({ params }) => {
    if (options["sign-in"]) throw RequestError.authRequired();
    if (options.gate !== undefined) journal({ opening: true });
    while (options.gate !== undefined && !existsSync(options.gate)) await wait(5);
    const sessionId = `session-${process.pid}-${Object.keys(sessions).length + 1}`;
    sessions[sessionId] = { said: [], mode: "write" };
    keep();
    const { cwd, mcpServers } = params;
    journal({ session: sessionId, cwd, ...(mcpServers.length > 0 && { mcpServers }) });
    return { sessionId, ...describeModes("write") };
  })
  .onRequest(methods.agent.session.resume, ({ params: { sessionId, mcpServers = [] } }) => {
    if (mcpServers.length > 0) journal({ resumed: sessionId, mcpServers });
    return find(sessionId);
  })
  .onRequest(methods.agent.session.close, ({ params }) => {
    journal({ closed: params.sessionId });
    return {};
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    const session = sessions[params.sessionId];
    if (params.configId === "who") journal({ model: params.value });
    else if (session) session.mode = String(params.value);
    return { configOptions: [] };
  })
  .onRequest(
    "session/set_model",
    (params) => ({ modelId: String(Object(params).modelId) }),
    ({ params }) => {
      journal({ model: params.modelId });
      return {};
    },
  )
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    const { sessionId } = params;
    const content = { type: "text", text: "What was said long ago." } as const;
    const told = find(sessionId);
    const update = { sessionUpdate: "agent_message_chunk", content } as const;
    await client.notify(methods.client.session.update, { sessionId, update });
    return told;
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    const session = sessions[params.sessionId];
    if (session) session.mode = params.modeId;
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const [first] = params.prompt;
    const text = first?.type === "text" ? first.text : "";
    journal({ prompt: text });
    const stopReason = await work(client, params.sessionId, text);
    const usage = { totalTokens: 1000, inputTokens: 900, outputTokens: 100 };
    return { stopReason, ...(!options.silent && { usage }) };
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => sessions[params.sessionId]?.cancel?.abort());

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
