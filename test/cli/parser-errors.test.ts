import { expect, test } from "vitest";
import { readCommandLine } from "../../bin/command-line.ts";
import { hostNames } from "../../src/cli/install/hosts.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { createOverview } from "../../src/config/overview.ts";
import { toDuetError } from "../../src/kit/errors.ts";
import { temporaryFolder } from "../fakes/program.ts";

const cases: [args: string, en: string, zh: string][] = [
  [
    "ask hi --mode foo",
    '--mode: "foo" is not allowed (allowed: chat, agent, plan) (see duet --help)',
    '--mode：不能是 "foo"（允许：chat, agent, plan）（见 duet --help）',
  ],
  [
    "ask hi --mode",
    "--mode: the value is missing (allowed: chat, agent, plan) (see duet --help)",
    "--mode：缺少值（允许：chat, agent, plan）（见 duet --help）",
  ],
  [
    "install foo",
    `host: "foo" is not allowed (allowed: ${hostNames.join(", ")}) (see duet --help)`,
    `host：不能是 "foo"（允许：${hostNames.join(", ")}）（见 duet --help）`,
  ],
  [
    "login",
    "too few arguments: 0 given (allowed: at least 1) (see duet --help)",
    "参数太少：给出 0 个（允许：至少 1 个）（见 duet --help）",
  ],
  [
    "completion",
    "completion: a word is missing after it (allowed: bash, zsh, fish, conversations) (see duet completion --help)",
    "completion：缺少后面的词（允许：bash, zsh, fish, conversations）（见 duet completion --help）",
  ],
  [
    "ask hi --max-iterations x",
    '--max-iterations: "x" is not allowed (allowed: an integer from 1 to 1000)',
    '--max-iterations: 不能是 "x"（允许：1 到 1000 的整数）',
  ],
  [
    "ask hi --max-tokens x",
    '--max-tokens: "x" is not allowed (allowed: an integer of at least 1)',
    '--max-tokens: 不能是 "x"（允许：不小于 1 的整数）',
  ],
  [
    "ask hi --config=",
    '--config: "" is not allowed (allowed: the name of a file)',
    '--config: 不能是 ""（允许：文件名）',
  ],
];

test.for(cases)("duet %s is refused in Duet's own words in both languages", async ([args, en, zh]) => {
  expect(await refuse(args)).toEqual({ zh, en });
});

test("an unknown option is refused with the nearest one and all that the command has", async () => {
  const { en, zh } = await refuse("trace --ouput=json");
  expect(en).toMatch(
    /^--ouput: unknown option; did you mean --output\? \(allowed: --help, .*--output\) \(see duet --help\)$/,
  );
  expect(zh).toMatch(/^--ouput：未知的选项，是否想写 --output？（允许：--help, .*--output）（见 duet --help）$/);
});

test("an unknown command is refused with the commands that there are", async () => {
  expect((await refuse("tols")).en).toMatch(
    /^"tols": unknown command or argument; did you mean tools\? \(allowed: chat, resume, ask, /,
  );
});

test("an unknown word below a command is refused with what stands there, and a question without quotes with how it is written", async () => {
  expect((await refuse("tools lst")).en).toBe(
    '"lst": unknown command or argument; did you mean list? (allowed: list, call, docs, approve) (see duet --help)',
  );
  expect(await refuse("ask --mode plan why not")).toEqual({
    en: '"not": unknown command or argument; a question goes in quotes: duet ask "why not" (see duet --help)',
    zh: '"not"：未知的命令或参数；问题要放在引号里：duet ask "why not"（见 duet --help）',
  });
});

test("the overview shows the mode under the key that sets it, also where nothing does", async () => {
  const directory = await temporaryFolder();
  const read = async (environment: Record<string, string>) =>
    createOverview(await loadConfig({}, { HOME: directory, ...environment }, directory));
  const unset = await read({});
  expect(unset.values).toMatchObject({ agent: { mode: "chat" } });
  expect(unset.values).not.toHaveProperty("agent.terminalMode");
  expect(unset.origins["agent.mode"]).toEqual({ from: "default" });
  const { values, origins } = await read({ DEFAULT_MODE: "plan" });
  expect(values).toMatchObject({ agent: { mode: "plan" } });
  expect(origins["agent.mode"]).toMatchObject({ from: "environment", name: "DEFAULT_MODE" });
});

async function refuse(args: string): Promise<{ en: string; zh: string }> {
  const thrown = await readCommandLine(args.split(" ")).then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
  return toDuetError(thrown).text;
}
