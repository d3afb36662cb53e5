import { existsSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Duet } from "../../src/app/duet.ts";
import { openDuet } from "../../src/app/open-duet.ts";
import { runChecks } from "../../src/cli/doctor/doctor.ts";
import type { Finding } from "../../src/cli/doctor/findings.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { readChangedModel } from "../../src/config/models/changed-model.ts";
import type { KeyCommand } from "../../src/core/model/model-settings.ts";
import { toProgram } from "../../src/kit/process/run-command.ts";
import { createCommandKeys } from "../../src/providers/keys/command-keys.ts";
import { lineOf, load, refusal } from "../config/workplace.ts";
import { configFile, temporaryFolder } from "../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";
import { requires, unix } from "../runner/requirements.ts";

const first = "printed-key-1234567890abcdef";
const second = "renewed-key-0987654321fedcba";

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
  onTestFinished(() => fake.close());
});

/** A command that prints what the file `key` holds, and counts its runs in `runs`. */
async function keyFolder(key: string): Promise<{ folder: string; command: string; runs(): number }> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "key"), key);
  const runs = () => (existsSync(join(folder, "runs")) ? readFileSync(join(folder, "runs"), "utf8").length : 0);
  return { folder, command: `cd '${folder}' && printf x >> runs && cat key`, runs };
}

async function open(apiKeyCommand: KeyCommand): Promise<{ duet: Duet; findings(): Promise<Finding[]> }> {
  const home = await temporaryFolder();
  const file = await configFile({
    models: { functionCall: "mine/m" },
    providers: { mine: { baseUrl: fake.openaiUrl, apiKeyCommand } },
    locale: "en",
  });
  const config = await loadConfig({ config: file }, { HOME: home, DUET_HOME: home, PATH: process.env.PATH });
  const duet = await openDuet(config);
  onTestFinished(() => duet.close());
  return { duet, findings: () => Array.fromAsync(runChecks(duet, config, new AbortController().signal)) };
}

async function ask(duet: Duet) {
  const events = await Array.fromAsync(duet.ask({ question: "Hello", mode: "chat" }));
  const end = events.at(-1);
  if (end?.type !== "run-end") throw new Error("no outcome");
  return { outcome: end.outcome, all: JSON.stringify(events) };
}

const sentKeys = () => fake.requests("m").map(({ headers }) => headers.authorization);
const refused = { status: 401, body: JSON.stringify({ error: { message: "Incorrect API key provided." } }) };

describe("a command that prints the key", requires(unix), () => {
  test("runs when a model is first asked, once for the process, and its key appears nowhere", async () => {
    const { command, runs } = await keyFolder(`\n  ${first}\n\n`);
    fake.script("m", { text: `Your key is ${first}.` }, { text: "Again." });
    const { duet } = await open(["/bin/sh", "-c", command]);
    expect(runs()).toBe(0);
    const { outcome, all } = await ask(duet);
    expect(outcome.response).toBe("Your key is [redacted API_KEY].");
    expect(all).not.toContain(first);
    await ask(duet);
    expect(sentKeys()).toEqual([`Bearer ${first}`, `Bearer ${first}`]);
    expect(runs()).toBe(1);
  });

  test("runs once more for a request that is refused with 401, and not again where it prints the same", async () => {
    const { folder, command, runs } = await keyFolder(first);
    fake.script("m", refused, refused, { text: "Now." });
    const { duet } = await open(command);
    expect(await duet.models.check(new AbortController().signal)).toMatchObject([
      { error: { code: "auth", hint: { en: "Check the key that apiKeyCommand prints." } } },
    ]);
    expect([sentKeys(), runs()]).toEqual([[`Bearer ${first}`], 2]);
    await writeFile(join(folder, "key"), second);
    const { outcome, all } = await ask(duet);
    expect(outcome.response).toBe("Now.");
    expect([sentKeys().slice(1), runs()]).toEqual([[`Bearer ${first}`, `Bearer ${second}`], 3]);
    expect(all).not.toContain(second);
  });

  test("has a row in duet doctor, which says how long it took or why it failed", async () => {
    fake.script("m", { text: "ready" });
    const good = await open((await keyFolder(first)).command);
    const row = (await good.findings()).find(({ topic, name }) => topic === "key" && name === "mine");
    expect(row).toMatchObject({
      state: "ok",
      text: { en: expect.stringMatching(/^printed by apiKeyCommand · \d+ ms$/) },
    });
    const bad = await open("echo locked vault >&2; exit 3");
    const findings = await bad.findings();
    expect(findings.find(({ name }) => name === "mine")).toMatchObject({
      state: "failed",
      text: { en: "apiKeyCommand ended with 3: locked vault." },
    });
    expect(findings.find(({ topic }) => topic === "model")?.state).toBe("failed");
    expect(fake.journal).toHaveLength(1);
  });

  const endless = "sleep 100";

  test.each<[string, KeyCommand, RegExp]>([
    ["prints nothing", "true", /^apiKeyCommand printed no key$/],
    ["prints two lines", `printf '${first}\\nmore'`, /^apiKeyCommand printed something other than one line of ASCII/],
    [
      "fails",
      ["/bin/sh", "-c", `echo ${first}; echo "no ${first}" >&2; exit 4`],
      /^apiKeyCommand ended with 4: no \*\*\*$/,
    ],
    ["does not exist", ["/nonexistent/program"], /^apiKeyCommand cannot be started: .*ENOENT/],
    ["writes without end", "yes", /^apiKeyCommand printed more than 65536 bytes$/],
    ["does not end", endless, /^apiKeyCommand did not end within 0\.3 s$/],
  ])("that %s is refused in one line without its output", async (_, command, line) => {
    // A short limit is for what never ends: on a busy machine a shell alone takes longer to start.
    const limit = command === endless ? { timeoutMs: 300 } : {};
    const keys = createCommandKeys({ environment: process.env, onKey() {}, ...limit });
    onTestFinished(() => keys.close());
    await expect(keys.get(command)).rejects.toMatchObject({ code: "auth", text: { en: expect.stringMatching(line) } });
  });

  test("gets the variables of the user, as a line of the shell or as a program that no shell reads", async () => {
    const environment = { PATH: process.env.PATH, VAULT: first };
    const keys = createCommandKeys({ environment, onKey() {} });
    onTestFinished(() => keys.close());
    expect(await keys.get('printf %s "$VAULT" | tr a-z A-Z')).toBe(first.toUpperCase());
    expect(await keys.get(["printf", "%s", "$VAULT|x"])).toBe("$VAULT|x");
  });

  test("runs once for calls at the same time, and for keys that were refused at the same time", async () => {
    const { command, folder } = await keyFolder(first);
    const printed: string[] = [];
    const keys = createCommandKeys({ environment: process.env, onKey: (key) => printed.push(key) });
    onTestFinished(() => keys.close());
    expect(await Promise.all([keys.get(command), keys.get(command)])).toEqual([first, first]);
    await writeFile(join(folder, "key"), second);
    expect(await Promise.all([keys.renew(command, first), keys.renew(command, first)])).toEqual([second, second]);
    expect(printed).toEqual([first, second]);
    expect(await readFile(join(folder, "runs"), "utf8")).toBe("xx");
  });
});

test("the shell is the system's: /bin/sh, or cmd.exe, which gets the line as it is", () => {
  expect(toProgram("op read x", {}, "linux")).toEqual({
    program: "/bin/sh",
    args: ["-c", "op read x"],
    isVerbatim: false,
  });
  const line = 'type "C:\\key file.txt"';
  expect(toProgram(line, { ComSpec: "C:\\cmd.exe" }, "win32")).toEqual({
    ...{ program: "C:\\cmd.exe", args: ["/d", "/s", "/c", `"${line}"`], isVerbatim: true },
  });
  expect(toProgram(["op", "read"], {}, "win32")).toEqual({ program: "op", args: ["read"], isVerbatim: false });
});

describe("only the configuration names a command", () => {
  const providers = { mine: { baseUrl: "http://127.0.0.1:9/v1", apiKeyCommand: "true" } };

  test("no model has one: not in the file, in a variable, or where a caller chooses a model", async () => {
    const model = '{"provider":"mine","model":"m","api_key_command":"true"}';
    const file = { providers, models: { functionCall: { provider: "mine", model: "m", apiKeyCommand: "true" } } };
    expect(await refusal({ file })).toMatch(/models\.functionCall\.apiKeyCommand: unknown key/);
    expect(await refusal({ file: { providers }, environment: { AGENT_FUNCTION_CALL_MODEL: model } })).toMatch(
      /unknown key/,
    );
    const role = { role: "answer", name: "answer_model", maxTokens: 10 } as const;
    expect(await lineOf(load({ file: { providers } }).then((config) => readChangedModel(model, role, config)))).toMatch(
      /unknown key/,
    );
  });

  test("it takes the place of a vendor's variable, stands beside no other, and makes its vendor a choice", async () => {
    const openai = { apiKeyCommand: ["op", "read", "x"] };
    const { candidates } = await load({ file: { providers: { openai } }, environment: { OPENAI_API_KEY: first } });
    expect(candidates).toMatchObject([{ provider: "openai", apiKeyCommand: ["op", "read", "x"] }]);
    expect(candidates[0]).toMatchObject({ apiKey: undefined, apiKeyEnv: undefined });
    const both = { openai: { ...openai, apiKeyEnv: "KEY" } };
    expect(await refusal({ file: { providers: both } })).toMatch(
      /providers\.openai\.apiKeyCommand: is not allowed beside apiKeyEnv/,
    );
    expect(await refusal({ file: { providers: { openai: { apiKeyCommand: [] } } } })).toMatch(
      /apiKeyCommand: \[\] is not allowed \(allowed: a non-empty string, or a non-empty list\)/,
    );
  });
});
