// An MCP server over stdio, written by hand so that it can lie: `node mcp.ts --mode MODE [--journal FILE]`.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { images } from "./images.ts";

type Json = Record<string, unknown>;

interface Request {
  id?: number;
  method: string;
  params?: { name?: string; arguments?: Json; cursor?: string; requestId?: number; _meta?: { progressToken?: number } };
}

/** What a mode does differently. Whatever it leaves out is done as a good server does it. */
interface Mode {
  atStart?(): void;
  initialize?(request: Request): void;
  list?(request: Request): void;
  call?(request: Request): void;
  other?(request: Request): void;
}

const { values: options } = parseArgs({
  options: {
    mode: { type: "string", default: "normal" },
    journal: { type: "string" },
    name: { type: "string", default: "fake" },
    delay: { type: "string", default: "500" },
    /** A JSON file with its tools, which is read again for each list. */
    tools: { type: "string" },
    /** The code with which it refuses what it does not know. */
    code: { type: "string", default: "-32601" },
    /** What it answers to a call (or its argument of this name), or to a request for its list, as it is written but for `ID`. */
    reply: { type: "string" },
    listed: { type: "string" },
    /** Its tool does not say that it only reads. */
    writes: { type: "boolean", default: false },
  },
});

/** Tells the test what happened: one JSON object a line. */
function journal(entry: Json): void {
  if (options.journal !== undefined) appendFileSync(options.journal, `${JSON.stringify(entry)}\n`);
}

function send(message: Json): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function answer({ id }: Request, result: unknown): void {
  send({ id, result });
}

function say(request: Request, text: string, more: Json = {}): void {
  answer(request, { content: [{ type: "text", text }], ...more });
}

function progress(request: Request, count: number): void {
  const progressToken = request.params?._meta?.progressToken;
  if (progressToken === undefined) return;
  send({
    method: "notifications/progress",
    params: { progressToken, progress: count, total: 3, message: `step ${count}` },
  });
}

const echo = {
  name: "echo",
  description: "Gives back its arguments.",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  annotations: { title: "Echo", readOnlyHint: options.writes ? undefined : true },
};

function good(name: string): Json {
  return { name, description: `The tool ${name}`, inputSchema: { type: "object" } };
}

function initialize(request: Request): void {
  const serverInfo = { name: options.name, version: "1.2.3" };
  answer(request, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
}

function refuse({ id, method }: Request): void {
  send({ id, error: { code: Number(options.code), message: `No method ${method}` } });
}

function changed(): void {
  send({ method: "notifications/tools/list_changed" });
}

/** Every tool that the test wants, as it is written: `JSON.stringify` cannot write what is nested too deeply. */
function listFile(request: Request): void {
  const tools = readFileSync(options.tools ?? "", "utf8").replaceAll("\n", " ");
  process.stdout.write(`{"jsonrpc":"2.0","id":${request.id},"result":{"tools":${tools}}}\n`);
}

function announce(request: Request, capabilities: Json = { tools: { listChanged: true } }): void {
  const serverInfo = { name: options.name, version: "1.2.3" };
  answer(request, { protocolVersion: "2025-06-18", capabilities, serverInfo });
}

/** As many lines a second as fit into the pipe, up to 50,000. */
function flood(line: Json): void {
  const lines = `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`.repeat(500);
  setInterval(() => {
    if (process.stdout.writableLength < 1_000_000) process.stdout.write(lines);
  }, 10);
}

/** Calls that wait for their answer. */
const held: Request[] = [];

/** What it did in an earlier life: `journal` is kept by the test. */
function isFirstLife(): boolean {
  const file = `${options.journal}.lived`;
  if (existsSync(file)) return false;
  writeFileSync(file, "");
  return true;
}

function writeRaw(text: string, { id }: Request): void {
  process.stdout.write(`${text.replaceAll("ID", String(id))}\n`);
}

function list(request: Request): void {
  answer(request, { tools: [echo] });
}

function call(request: Request): void {
  const args = request.params?.arguments ?? {};
  say(request, JSON.stringify(args));
}

/** Starts a process that ignores SIGTERM and lives for ever, in our group. */
function startGrandchild(): void {
  const script = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); process.stdout.write("up")';
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"] });
  child.stdout.once("data", () => journal({ grandchild: child.pid }));
}

/** Waits for its reader: Node fails with ENOBUFS, and the process ends, where more than 700 MB wait to be written. */
function writeForEver(): void {
  process.stdout.write("x".repeat(1_000_000), (error) => (error ? undefined : writeForEver()));
}

function ignoreGoodbyes(): void {
  process.on("SIGTERM", () => journal({ signal: "SIGTERM" }));
  setInterval(() => {}, 1000);
}

/** As `@playwright/mcp` states it: required, and with a default. */
const screenshot = {
  name: "browser_take_screenshot",
  description: "Takes a screenshot of the page.",
  inputSchema: {
    type: "object",
    properties: { scale: { type: "string", enum: ["css", "device"], default: "css" } },
    required: ["scale"],
  },
  annotations: { readOnlyHint: true },
};

const modes: Record<string, Mode> = {
  screenshot: {
    list: (request) => answer(request, { tools: [screenshot] }),
    call(request) {
      if (request.params?.arguments?.scale !== "css") return say(request, "scale: required", { isError: true });
      const text = { type: "text", text: "### Result\n- [Screenshot of viewport](page.png)" };
      const data = images.png.toString("base64");
      answer(request, { content: [text, { type: "image", data, mimeType: "image/png" }] });
    },
  },
  normal: {},
  "slow-start": {
    initialize: (request) => setTimeout(() => initialize(request), Number(options.delay)),
  },
  "never-initialize": {
    atStart: () => process.stderr.write("waiting for the moon\n"),
    initialize: () => {},
  },
  "exit-at-start": {
    atStart: () => {
      process.stderr.write("FATAL: no key in FAKE_KEY\n\u001b[31mred\u001b[0m\n");
      process.exit(7);
    },
  },
  "crash-on-call": {
    call: () => {
      process.stderr.write("out of cheese\n");
      process.exit(3);
    },
  },
  "hang-on-call": { call: () => {} },
  "progress-three": {
    call: (request) => {
      for (const count of [1, 2, 3]) progress(request, count);
      setTimeout(() => say(request, "done"), 20);
    },
  },
  "progress-for-ever": {
    call: (request) => {
      let count = 0;
      setInterval(() => progress(request, ++count), 50);
    },
  },
  "progress-flood": {
    call: (request) => {
      for (let count = 1; count <= 5000; count += 1) progress(request, count);
      setTimeout(() => say(request, "done"), 20);
    },
  },
  "noise-on-stdout": {
    atStart: () => process.stdout.write('Listening\n\u001b[2J\n{"level":"info"}\n[]\n42\n\n'),
    call: (request) => {
      process.stdout.write("calling...\n");
      call(request);
    },
  },
  // The tool `long` answers with 12 MB on one line, its id last as the official servers write it.
  "huge-line": {
    list: (request) => answer(request, { tools: [echo, good("long")] }),
    call: (request) => {
      const result = { content: [{ type: "text", text: "x".repeat(12_000_000) }] };
      const line = `${JSON.stringify({ result, jsonrpc: "2.0", id: request.id })}\n`;
      if (request.params?.name === "long") process.stdout.write(line);
      else setTimeout(() => call(request), 300);
    },
  },
  "bad-tool-in-list": {
    list: (request) =>
      answer(request, {
        tools: [
          echo,
          { name: "no-schema" },
          { name: "text-schema", inputSchema: { type: "string" } },
          { name: 7, inputSchema: { type: "object" } },
          { ...good("task-only"), execution: { taskSupport: "required" } },
          echo,
          null,
          good("last"),
        ],
      }),
  },
  "two-pages": {
    list: (request) => {
      const isFirst = request.params?.cursor === undefined;
      answer(
        request,
        isFirst ? { tools: [good("first")], nextCursor: "" } : { tools: [good("second")], nextCursor: null },
      );
    },
  },
  "endless-pages": {
    list: (request) => {
      const page = Number(request.params?.cursor ?? 0);
      answer(request, { tools: [good(`page-${page}`)], nextCursor: String(page + 1) });
    },
  },
  "many-tools": {
    list: (request) => answer(request, { tools: Array.from({ length: 1500 }, (_, index) => good(`tool-${index}`)) }),
  },
  "odd-names": {
    list: (request) =>
      answer(request, { tools: ["e e!", "e-e_", "ünïcode", "a.b", "a_b", "x".repeat(100)].map((name) => good(name)) }),
    call: (request) => say(request, `called ${request.params?.name}`),
  },
  "ignore-sigterm": { atStart: ignoreGoodbyes },
  "with-grandchild": { atStart: startGrandchild },
  "echo-env": { call: (request) => say(request, JSON.stringify(process.env)) },
  "leak-env": {
    list: (request) => {
      const description = `Uses the key ${process.env.FAKE_KEY}`;
      answer(request, { tools: [{ ...echo, description }] });
    },
    call: (request) => {
      const key = process.env.FAKE_KEY ?? "";
      const token = request.params?._meta?.progressToken;
      send({
        method: "notifications/progress",
        params: { progressToken: token, progress: 1, message: `using ${key}` },
      });
      const forms = [
        key,
        encodeURIComponent(key),
        Buffer.from(key).toString("base64"),
        Buffer.from(key).toString("hex"),
      ];
      const text = `request to https://example.com/?a=1&key=${forms[1]}&b=2 failed (${forms.join(" ")})`;
      setTimeout(() => say(request, text, { isError: true }), 20);
    },
  },
  "leak-and-exit": {
    atStart: () => {
      process.stderr.write(`bad key ${process.env.FAKE_KEY}\n`);
      process.exit(1);
    },
  },
  "raw-replies": {
    list: (request) => (options.listed === undefined ? list(request) : writeRaw(options.listed, request)),
    call(request) {
      const reply = request.params?.arguments?.reply ?? options.reply;
      if (reply === undefined) call(request);
      else writeRaw(String(reply), request);
    },
  },
  "error-result": { call: (request) => say(request, "The tool says no", { isError: true }) },
  "error-response": { call: ({ id }) => send({ id, error: { code: -32602, message: "no such city" } }) },
  "answers-twice": {
    call: (request) => {
      say(request, "first");
      say(request, "second");
      send({ id: 9999, result: {} });
    },
  },
  "odd-content": {
    call: (request) => answer(request, { content: [{ type: "hologram" }, { type: "text", text: "still here" }, 5] }),
  },
  "odd-content-many": {
    call: (request) => {
      const images = Array.from({ length: 100 }, () => ({
        type: "image",
        data: "AAAA".repeat(10_000),
        mimeType: "image/png",
      }));
      const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
      answer(request, { content: [...images, audio, { type: "hologram" }, { type: "text", text: "still here" }] });
    },
  },
  // Its tools are those of the file; a call with `announce` says so often that they have changed, then answers.
  "tools-from-file": {
    initialize: (request) => announce(request),
    list: listFile,
    call: (request) => {
      for (let left = Number(request.params?.arguments?.announce ?? 0); left > 0; left -= 1) changed();
      call(request);
    },
  },
  "changes-with-each-list": {
    initialize: (request) => announce(request),
    list: (request) => {
      changed();
      list(request);
      changed();
    },
  },
  "same-cursor": {
    list: (request) => answer(request, { tools: [good(`page-${request.params?.cursor}`)], nextCursor: "again" }),
  },
  "odd-answers": {
    call: ({ id = 0 }) => {
      send({ id: 4711, result: { content: [{ type: "text", text: "CANARY-unknown" }] } });
      send({ id: String(id), result: { content: [{ type: "text", text: "first" }] } });
      send({ id, error: { code: -1, message: "CANARY-second" } });
      send({ result: {} });
      process.stdout.write(`${JSON.stringify([{ jsonrpc: "2.0", id, result: {} }])}\n`);
    },
  },
  // A slow call is answered when the next one comes, before that one; a silent call never.
  "answers-after-cancel": {
    call: (request) => {
      if (request.params?.arguments?.silent === true) return;
      if (request.params?.arguments?.slow === true) return void held.push(request);
      for (const late of held.splice(0)) say(late, "CANARY-late");
      call(request);
    },
  },
  "exit-after-start": { initialize: (request) => (isFirstLife() ? initialize(request) : process.exit(9)) },
  // A character of three bytes is split between two of them, then each byte comes alone.
  drip: {
    call: (request) => {
      const result = { content: [{ type: "text", text: "天气" }] };
      const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, result })}\n`);
      let sent = 0;
      const timer = setInterval(() => {
        process.stdout.write(bytes.subarray(sent, sent + 1));
        sent += 1;
        if (sent === bytes.length) clearInterval(timer);
      }, 3);
    },
  },
  "small-chunks": {
    call: ({ id }) => {
      const result = { content: [{ type: "text", text: "x".repeat(9_900_000) }] };
      const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
      for (let sent = 0; sent < bytes.length; sent += 1000) process.stdout.write(bytes.subarray(sent, sent + 1000));
    },
  },
  "invalid-utf8": {
    call: ({ id }) => {
      const head = `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"a`;
      process.stdout.write(
        Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from('b"}]}}\n')]),
      );
    },
  },
  "log-flood": {
    atStart: () => flood({ method: "notifications/message", params: { level: "info", data: "x".repeat(60) } }),
  },
  "endless-line": { call: writeForEver },
  "many-values": {
    call: ({ id }) => {
      const rows = Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join(",");
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"structuredContent":{${rows}}}}\n`);
    },
  },
  "closes-its-input": {
    list: (request) => {
      answer(request, { tools: [echo] });
      process.stdin.destroy();
      setInterval(() => {}, 1000);
    },
  },
  // Its process is over at once; what it has started elsewhere keeps our pipes open.
  daemon: {
    list: (request) => {
      const script = "setInterval(() => {}, 1000); setTimeout(() => process.exit(), 300_000)";
      const child = spawn(process.execPath, ["-e", script], {
        detached: true,
        stdio: ["ignore", "inherit", "inherit"],
      });
      child.unref();
      journal({ daemon: child.pid });
      answer(request, { tools: [echo] });
    },
    call: () => process.exit(0),
  },
  // Speaks only 2026-07-28.
  "modern-only": {
    initialize: refuse,
    list: (request) => answer(request, { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [echo] }),
    call: (request) =>
      options.reply === undefined
        ? say(request, JSON.stringify(request.params?.arguments), { resultType: "complete" })
        : writeRaw(options.reply, request),
    other: (request) => modern(request),
  },
  "odd-version": {
    initialize: (request) => {
      answer(request, {
        protocolVersion: "1999-01-01",
        capabilities: { tools: {} },
        serverInfo: { name: "old", version: "0" },
      });
    },
  },
  // Knows nothing of the newer revision, and says nothing to what it does not know.
  "silent-to-others": { other: () => {} },
  // Closes its input after the first list, and stays.
  deaf: {
    list: (request) => {
      answer(request, { tools: [echo] });
      process.stdin.pause();
      lines.close();
      setInterval(() => {}, 1000);
    },
  },
};

function modern(request: Request): void {
  if (request.method !== "server/discover") {
    refuse(request);
    return;
  }
  const serverInfo = { name: options.name, version: "1.2.3" };
  answer(request, {
    resultType: "complete",
    ttlMs: 0,
    cacheScope: "private",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    serverInfo,
    _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
  });
}

const mode = modes[options.mode] ?? {};
if (modes[options.mode] === undefined) throw new Error(`No mode ${options.mode}; there are ${Object.keys(modes)}`);

function handle(request: Request): void {
  journal({ method: request.method, params: request.params });
  if (request.id === undefined) return;
  switch (request.method) {
    case "initialize":
      (mode.initialize ?? initialize)(request);
      break;
    case "tools/list":
      (mode.list ?? list)(request);
      break;
    case "tools/call":
      (mode.call ?? call)(request);
      break;
    default:
      if (mode.other) mode.other(request);
      else refuse(request);
  }
}

journal({ pid: process.pid });
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => handle(JSON.parse(line)));
mode.atStart?.();
