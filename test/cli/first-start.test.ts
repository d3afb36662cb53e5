import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFirstConfig } from "../../src/cli/first-config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { workplace } from "../config/workplace.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { startTerminal } from "../fakes/terminal.ts";

const users = ".config/duet/config.json";

test("the very first start in a terminal writes the recommended values and says so, the next one does not", async () => {
  const HOME = await temporaryFolder();
  const first = await startTerminal([], { env: { HOME, LANG: "zh_CN.UTF-8" }, cwd: HOME, isFirstStart: true });
  await first.showsWords(
    `已写入 ${HOME}/${users}，其中有建议的取值（maxIterations 10、maxToolCalls 25、maxTokens 8000、functionCallTemperature 0）和原因。`,
  );
  first.type("/exit\r");
  expect(await first.ended()).toBe(0);
  const written = readFileSync(join(HOME, users), "utf8");
  expect(written).toContain("// 默认的 5 次会让不少关于表格和文件的普通问题只得到部分回答");
  const second = await startTerminal([], { env: { HOME, LANG: "en_US.UTF-8" }, cwd: HOME, isFirstStart: true });
  await second.shows("/exit quits");
  second.type("/exit\r");
  expect(await second.ended()).toBe(0);
  expect(second.screen()).not.toContain(users);
  expect(readFileSync(join(HOME, users), "utf8")).toBe(written);
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
