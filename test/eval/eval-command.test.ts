// The built program against a provider on a socket and a real MCP server.
import { readFileSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isRecord } from "../../src/kit/json.ts";
import { npmServer, startProgram, temporaryFolder } from "../fakes/program.ts";
import { type FakeProvider, type JournalEntry, type Reply, startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

const key = "sk-c4na7y-eval-0123456789";

interface Scene {
  folder: string;
  provider: FakeProvider;
  env: Record<string, string>;
  config: string;
  cases: string;
}

/** Four questions about a file, which a scripted pair answers from the real server's result. */
async function setScene(strong?: (answer: Reply) => Reply[]): Promise<Scene> {
  const folder = await temporaryFolder();
  const data = join(folder, "data");
  await mkdir(data);
  await writeFile(join(data, "notes.txt"), "The meeting is on Thursday.\n");
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const read = { name: "files__read_text_file", arguments: { path: join(data, "notes.txt") } };
  const decide: Reply = ({ body }) => (hasResult(body) ? { text: "Enough." } : { toolCalls: [read] });
  const answer: Reply = ({ body }) => ({
    text: JSON.stringify(body.messages).includes("on Thursday") ? "On Thursday." : "I do not know.",
  });
  provider.script("cheap", ...Array<Reply>(40).fill(decide));
  provider.script("strong", ...(strong?.(answer) ?? []), ...Array<Reply>(40).fill(answer));
  const [config, cases] = [join(folder, "duet.config.json"), join(folder, "cases.json")];
  const vendor = { wire: "openai-chat", baseUrl: provider.openaiUrl, apiKeyEnv: "EVAL_KEY" };
  await writeFile(
    config,
    JSON.stringify({
      providers: { local: vendor },
      models: { functionCall: "local/cheap", answer: "local/strong" },
      mcpServers: { files: npmServer("mcp-server-filesystem", [data]) },
      search: { enabled: false },
    }),
  );
  const call = { tool: "files__read_*file", arguments: { path: { $matches: "notes\\.txt$" } } };
  const ask = (id: string, question: string) => ({ id, question, calls: [call], answer: [{ contains: "Thursday" }] });
  const list = ["When is the meeting?", "On which day do we meet?", "哪天开会？", "Which day was chosen?"];
  await writeFile(cases, JSON.stringify({ cases: list.map((question, index) => ask(`c${index}`, question)) }));
  const env = { EVAL_KEY: key, HOME: folder, DUET_HOME: join(folder, "home") };
  return { folder, provider, env, config, cases };
}

function hasResult(body: JournalEntry["body"]): boolean {
  return Array.isArray(body.messages) && body.messages.some((one) => isRecord(one) && one.role === "tool");
}

test("what was recorded of a provider and a real server replays without either, to the same report", async () => {
  const { folder, provider, env, config, cases } = await setScene();
  const [recording, first, second] = ["run.jsonl", "first.json", "second.json"].map((name) => join(folder, name));
  const record = ["eval", cases, "--config", config, "--record", String(recording), "--output", String(first)];
  const made = await runProgram([...record, "--locale", "en"], { env });
  expect(made).toMatchObject({ code: 0 });
  expect(made.stdout).toContain("success: 4/4  100.0 %  [51.0, 100.0]");
  expect(readFileSync(String(recording), "utf8")).not.toContain(key);
  await provider.close();
  // Neither the models, nor the key, nor the server are configured here.
  const bare = { HOME: folder, DUET_HOME: join(folder, "home") };
  const replay = ["eval", cases, "--replay", String(recording), "--output", String(second), "--locale", "zh"];
  const again = await runProgram(replay, { env: bare, cwd: join(folder, "data") });
  expect(again).toMatchObject({ code: 0 });
  expect(again.stdout).toContain("成功：4/4");
  expect(readFileSync(String(second), "utf8")).toBe(readFileSync(String(first), "utf8"));
  const other = join(folder, "other.json");
  await writeFile(other, readFileSync(cases, "utf8").replace("When is the meeting?", "When is the party?"));
  const refused = await runProgram(["eval", other, "--replay", String(recording), "--locale", "en"], {
    env: bare,
    cwd: join(folder, "data"),
  });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stdout).toMatch(
    /c0 \/ 1: the recording does not hold this request to local\/cheap; first difference: messages\[\d\]\.content .*the meeting\?.*the party\?/,
  );
});

test("a killed evaluation goes on with --resume, and asks about no case again that had its result", async () => {
  const arrived = Promise.withResolvers<void>();
  const { folder, provider, env, config, cases } = await setScene((answer) => {
    const hang: Reply = () => {
      arrived.resolve();
      return { hang: "before-headers" };
    };
    return [answer, answer, hang];
  });
  const output = join(folder, "report.json");
  const args = ["eval", cases, "--config", config, "--output", output, "--parallel", "1", "--locale", "en"];
  const child = await startProgram(args, { env });
  const killed = new Promise((resolve) => child.once("exit", resolve));
  child.stderr.resume();
  await arrived.promise;
  child.kill("SIGKILL");
  await killed;
  expect(await readdir(folder)).toContain("report.attempts.jsonl");
  expect(await runProgram(args, { env })).toMatchObject({ code: 2, stderr: expect.stringContaining("--resume") });
  const resumed = await runProgram([...args, "--resume"], { env });
  expect(resumed).toMatchObject({ code: 0 });
  // The one that was being asked when the process was killed is asked again.
  expect(provider.requests("strong")).toHaveLength(5);
  expect(JSON.parse(readFileSync(output, "utf8"))).toMatchObject({ complete: true, attempts: { length: 4 } });
  expect(await readdir(folder)).not.toContain("report.attempts.jsonl");
});

test("what is wrong with a file of cases is said line by line, before anything is asked", async () => {
  const { folder, env, config } = await setScene();
  const wrong = join(folder, "wrong.json");
  await writeFile(
    wrong,
    '{"cases": [{"id": "a b", "question": "x"}, {"id": "c", "queston": "y", "answer": [{"has": 1}]}]}',
  );
  const { code, stderr, stdout } = await runProgram(["eval", wrong, "--config", config, "--locale", "en"], { env });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("wrong.json: cases[0].id");
  expect(stderr).toContain("queston: unknown key; did you mean question?");
  const misspelt = join(folder, "misspelt.json");
  await writeFile(misspelt, '{"cases": [{"id": "c", "question": "x", "calls": [{"tool": "file__read"}]}]}');
  expect(await runProgram(["eval", misspelt, "--config", config, "--locale", "en"], { env })).toMatchObject({
    code: 2,
    stderr: 'duet: c: there is no tool "file__read" (duet tools lists them)\n',
  });
  expect(await runProgram(["eval", "--config", config, "--locale", "zh"], { env })).toMatchObject({
    code: 2,
    stderr: "duet: duet eval 缺少用例文件（允许：文件名，或 starter）\n",
  });
});
