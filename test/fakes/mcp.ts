// An MCP server over stdio, written by hand so that it can lie: `node mcp.ts --mode MODE [--journal FILE]`.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

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
}

const { values: options } = parseArgs({
  options: {
    mode: { type: "string", default: "normal" },
    journal: { type: "string" },
    name: { type: "string", default: "fake" },
    delay: { type: "string", default: "500" },
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
  annotations: { title: "Echo", readOnlyHint: true },
};

function good(name: string): Json {
  return { name, description: `The tool ${name}`, inputSchema: { type: "object" } };
}

function initialize(request: Request): void {
  const serverInfo = { name: options.name, version: "1.2.3" };
  answer(request, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
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

function ignoreGoodbyes(): void {
  process.on("SIGTERM", () => journal({ signal: "SIGTERM" }));
  setInterval(() => {}, 1000);
}

const modes: Record<string, Mode> = {
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
      send({ id: request.id, error: { code: -32601, message: `No method ${request.method}` } });
  }
}

journal({ pid: process.pid });
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => handle(JSON.parse(line)));
mode.atStart?.();
