import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeFirstConfig } from "../../../src/cli/first-start/first-config.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { workplace } from "../../config/workplace.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { type JournalEntry, startFakeProvider } from "../../fakes/provider.ts";
import { startTerminal } from "../../fakes/terminal.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";

const users = ".config/duet/config.json";

const right = "sk-right-0123456789";

/** A provider that knows one key, and a home where nothing is. */
async function emptyHome() {
  const fake = await startFakeProvider();
  onTestFinished(() => fake.close());
  const refused = { status: 401, body: JSON.stringify({ error: { message: "Incorrect API key provided." } }) };
  fake.script(
    "deepseek-flash",
    ...Array.from(
      { length: 4 },
      () => (request: JournalEntry) =>
        request.headers.authorization === `Bearer ${right}` ? { text: "Ready to help." } : refused,
    ),
  );
  const HOME = await temporaryFolder();
  const start = (LANG: string, more: Record<string, string> = {}) =>
    startTerminal([], {
      env: { HOME, LANG, DEEPSEEK_BASE_URL: fake.openaiUrl, OLLAMA_BASE_URL: "http://127.0.0.1:9/v1", ...more },
      cwd: HOME,
      isFirstStart: true,
    });
  return { fake, HOME, start };
}

test("the very first start asks for a provider and a key, tries them, and writes what later starts read", async () => {
  const { fake, HOME, start } = await emptyHome();
  const first = await start("en_US.UTF-8");
  await first.shows("Number or name (Enter: deepseek): ");
  first.type("deepsek\r");
  await first.shows('"deepsek" is not in the list (allowed: 1 to 18, or a name).');
  first.type("sk-typed-too-early-0123456789\r");
  await first.shows("What was typed is not in the list (allowed: 1 to 18, or a name).");
  first.type("\r");
  await first.shows("Key (not shown): ");
  first.type("sk right key\r");
  await first.shows("There is a space in it: paste the key alone.");
  first.type("sk-wrong-0123456789\r");
  await first.shows("✗ deepseek/deepseek-chat: authentication failed (HTTP 401)");
  await first.shows("Number (Enter: 2): ");
  first.type("\r");
  await first.repeats("Key (not shown): ", 3);
  expect(existsSync(join(HOME, ".config"))).toBe(false);
  first.type(`${right}\r`);
  await first.shows("✓ deepseek/deepseek-chat answered");
  await first.showsWords(`The key is in ${HOME}/.config/duet/.env, which only you can read.`);
  first.type("Hello\r");
  await first.shows("Ready to help.");
  first.type("/exit\r");
  expect(await first.ended()).toBe(0);
  expect(first.bytes().toString()).not.toContain("right");
  expect(readFileSync(join(HOME, users), "utf8")).toContain('"functionCall": "deepseek/deepseek-chat",');

  const second = await start("zh_CN.UTF-8");
  await second.shows("/exit 退出");
  second.type("Hello\r");
  await second.shows("Ready to help.");
  second.type("/exit\r");
  expect(await second.ended()).toBe(0);
  expect(second.screen()).not.toContain(users);
  expect(fake.requests("deepseek-flash").at(-1)?.headers.authorization).toBe(`Bearer ${right}`);
});

test("a key that is set comes first and is not asked for; whoever leaves while the model is asked leaves nothing", async () => {
  const { fake, HOME, start } = await emptyHome();
  fake.script("gpt-6.1-terra", { hang: "before-headers" });
  const set = { OPENAI_API_KEY: right, OPENAI_BASE_URL: fake.openaiUrl };
  const terminal = await start("zh_CN.UTF-8", set);
  await terminal.shows("1  openai");
  expect(terminal.screen()).toContain("OPENAI_API_KEY 已设置");
  await terminal.shows("编号或名称（回车：openai）：");
  terminal.type("\r");
  await terminal.shows("正在试问 openai/gpt-6.1-terra");
  terminal.type("\u0003");
  expect(await terminal.ended()).toBe(130);
  expect(terminal.screen()).toContain("已离开，没有写入任何内容。");
  expect(readdirSync(HOME)).toEqual([]);
});

test("Escape leaves nothing behind; without a model the recommended values are written all the same", async () => {
  const { HOME, start } = await emptyHome();
  const left = await start("en_US.UTF-8");
  await left.shows("Number or name");
  left.type("1\r");
  await left.shows("Key (not shown): ");
  left.type("sk-half\u001b");
  expect(await left.ended()).toBe(130);
  expect(readdirSync(HOME)).toEqual([]);

  const offline = await start("zh_CN.UTF-8");
  await offline.shows("编号或名称");
  offline.type("offline\r");
  await offline.showsWords(
    `已写入 ${HOME}/${users}，其中有建议的取值（maxIterations 10、maxToolCalls 25、maxTokens 8000、functionCallTemperature 0）和原因。`,
  );
  offline.type("/exit\r");
  expect(await offline.ended()).toBe(0);
  const written = readFileSync(join(HOME, users), "utf8");
  expect(written).toContain("// 默认的 5 次会让不少关于表格和文件的普通问题只得到部分回答");
  expect((await loadConfig({}, { HOME }, HOME)).models.functionCall).toBeUndefined();
});

test("a pipe is asked nothing, and nothing is written for it", async () => {
  const HOME = await temporaryFolder();
  const options = { env: { HOME, OLLAMA_BASE_URL: "http://127.0.0.1:9/v1" }, cwd: HOME, stdin: "2+3\n" };
  const { code, stdout } = await runProgram([], options);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("5") });
  expect(existsSync(join(HOME, ".config"))).toBe(false);
});

test("a model that its key chooses gets the recommended values, and everything else stays as without the file", async () => {
  const directory = workplace({ ".env": "DEEPSEEK_API_KEY=sk-of-the-folder" });
  const environment = { HOME: directory };
  const before = await loadConfig({}, environment, directory);
  expect(await writeFirstConfig({}, { environment, directory })).toBe(
    `Wrote ${directory}/${users} with recommended values (maxIterations 10, maxToolCalls 25, maxTokens 8000, functionCallTemperature 0) and the reasons.`,
  );
  const { candidates, agent, ...after } = await loadConfig({}, environment, directory);
  expect(candidates).toMatchObject([{ apiKey: "sk-of-the-folder", temperature: 0, maxTokens: 8000 }]);
  expect(before.candidates).toEqual([{ ...candidates[0], temperature: 0.7, maxTokens: 2000 }]);
  expect(agent).toEqual({
    ...before.agent,
    ...{ maxIterations: 10, maxToolCalls: 25, maxTokens: 8000, functionCallTemperature: 0 },
  });
  const { tools, search, web, serve, terminal, email, locale, localeIsChosen, environment: variables } = before;
  expect(after).toMatchObject({ tools, search, web, serve, terminal, locale, localeIsChosen, environment: variables });
  expect(after.email).toEqual(email);
});

test.each([
  ["--config names a file", { "mine.json": "{}" }, { config: "mine.json" }],
  ["the folder has a configuration", { "duet.config.json": "{}" }, {}],
  ["the user has a configuration", { [users]: "{}" }, {}],
  ["there is a conversation", { ".local/state/duet/duet.db": "" }, {}],
])("nothing is written at the start where %s", async (_, files, flags) => {
  const directory = workplace(files);
  expect(await writeFirstConfig(flags, { environment: { HOME: directory }, directory })).toBeUndefined();
  expect(existsSync(join(directory, users))).toBe(users in files);
});

test("a home that cannot be written is no error: the defaults apply", async () => {
  const directory = workplace({ ".config": "a file in the place of the folder" });
  expect(await writeFirstConfig({}, { environment: { HOME: directory }, directory })).toBeUndefined();
  expect((await loadConfig({}, { HOME: directory }, directory)).agent).toMatchObject({ maxToolCalls: 5 });
});
