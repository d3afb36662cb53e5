import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { program, programEnvironment, temporaryFolder } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram } from "../fakes/warm-program.ts";

interface Loaded {
  names: string[];
  /** Holds the text of all files. */
  text: string;
}

interface Start {
  stdin?: string;
  environment?: Record<string, string>;
  /** Is where the program first says what is waited for. */
  says?: "stdout" | "stderr";
}

/** Starts the built program, and returns the files of `dist` that it has loaded before it first writes. */
async function findLoaded(
  args: string[],
  { stdin = "", environment = {}, says = "stdout" }: Start = {},
): Promise<Loaded> {
  const list = join(await temporaryFolder(), "loaded");
  const hook = pathToFileURL("test/fakes/note-loaded.mjs");
  hook.searchParams.set("file", list);
  const env = await programEnvironment(environment);
  const child = spawn(process.execPath, ["--import", hook.href, program, ...args], { env, cwd: env.HOME });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.write(stdin);
  await once(child[says], "data");
  const urls = (await readFile(list, "utf8")).trim().split("\n");
  const files = urls.filter((url) => url.includes("/dist/")).map((url) => fileURLToPath(url));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return { names: files.map((file) => basename(file)), text: texts.join("\n") };
}

/** Each is a text of one part of the program. */
const marks = {
  arguments: "Not enough non-option arguments",
  connections: "undici.globalDispatcher.1",
  events: "Names the draft within its run.",
  patterns: "RE2JS",
  schemas: "strictTypes",
  store: "PRAGMA journal_mode",
  tokens: "ERR_JWT_CLAIM_VALIDATION_FAILED",
};

function findParts({ text }: Loaded): string[] {
  return Object.entries(marks).flatMap(([part, mark]) => (text.includes(mark) ? [part] : []));
}

test("before `initialize` is answered, a server loads few files, and nothing that only a question needs", async () => {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } };
  const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
  const loaded = await findLoaded(["serve"], { stdin: initialize });
  expect(findParts(loaded)).toEqual([]);
  expect(loaded.names.length).toBeLessThanOrEqual(20);
});

test("a server over HTTP that nobody asks loads neither the connections of undici nor the reader of signed tokens", async () => {
  const loaded = await findLoaded(["serve", "--http", "0"], { says: "stderr" });
  const parts = findParts(loaded);
  expect(parts).toContain("store");
  expect(parts.filter((part) => ["connections", "schemas", "tokens"].includes(part))).toEqual([]);
});

test("a server that nobody asks loads no files by Node's pool of threads, and neither its cryptography nor what starts processes", async () => {
  const tell = 'process.on("exit", () => process._rawDebug(process.moduleLoadList.join(";")))';
  const env = await programEnvironment({});
  const args = ["--import", `data:text/javascript,${tell}`, program, "serve"];
  const child = spawn(process.execPath, args, { env, cwd: env.HOME });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end();
  const modules = (await text(child.stderr)).trim().split(";");
  expect(modules).toContain("NativeModule net");
  expect(
    modules.filter((name) => /^NativeModule (?:fs\/promises|crypto|child_process|worker_threads)$/.test(name)),
  ).toEqual([]);
});

test("a question of the command line is answered from few files, without the parser of all commands", async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.script(
    "m",
    { toolCalls: [{ name: "calculator", arguments: { expression: "6*7" } }] },
    { text: "It is 42." },
  );
  const model = { provider: "openai", model: "m", base_url: provider.openaiUrl };
  const environment = { AGENT_FUNCTION_CALL_MODEL: JSON.stringify(model), OPENAI_API_KEY: "sk-test-openai-0001" };
  const loaded = await findLoaded(["ask", "What is 6 times 7?"], { environment });
  expect(findParts(loaded)).toEqual(["patterns", "schemas", "store"]);
  expect(loaded.names.length).toBeLessThanOrEqual(40);
});

test("a question of the command line that calls a server's tool makes Node load neither its web streams nor zlib", async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.script("m", { toolCalls: [{ name: "rain__echo", arguments: { text: "rain" } }] }, { text: "It rains." });
  const settings = {
    providers: { local: { wire: "openai-chat", baseUrl: provider.openaiUrl, apiKeyEnv: "LOCAL_KEY" } },
    models: { functionCall: { provider: "local", model: "m" } },
    mcpServers: { rain: { command: process.execPath, args: [resolve("bench/tool-server.mjs")] } },
    tools: { allow: ["rain__*"] },
  };
  const env = await programEnvironment({ LOCAL_KEY: "sk-test-openai-0001" });
  const config = join(String(env.HOME), "rain.json");
  await writeFile(config, JSON.stringify(settings));
  const tell = 'process.on("exit", () => process._rawDebug("loaded:" + process.moduleLoadList.join(";")))';
  const ask = ["--import", `data:text/javascript,${tell}`, program, "ask", "--config", config, "Does it rain?"];
  const child = spawn(process.execPath, ask, { env, cwd: env.HOME, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(said, errors.slice(0, 900)).toContain("It rains.");
  expect(errors).toContain("✓ rain__echo");
  const modules = (errors.split("loaded:").at(-1) ?? "").trim().split(";");
  expect(modules).toContain("NativeModule http");
  expect(modules.filter((name) => /^NativeModule (?:zlib|internal\/webstreams\/.*)$/.test(name))).toEqual([]);
});

test("the version is told without the parser of all commands, whose words and form it has", async () => {
  const loaded = await findLoaded(["--version"]);
  expect(findParts(loaded)).toEqual([]);
  const [plain, parsed] = await Promise.all([runWarmProgram(["-v"]), runWarmProgram(["--version", "--verbose"])]);
  expect(plain).toEqual(parsed);
  expect(plain).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});
