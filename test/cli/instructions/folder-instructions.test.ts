import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { askForInstructions } from "../../../src/cli/instructions/folder-instructions.ts";
import { pickOne } from "../../../src/cli/questions/pick-one.ts";
import type { PickOptions, Reader } from "../../../src/cli/questions/reader.ts";
import { workplace } from "../../config/workplace.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";

/** A reader who chooses these labels, one after the other. */
function readerChoosing(...labels: string[]): Reader & { asked: number } {
  const reader = {
    asked: 0,
    locale: "en" as const,
    ask: async () => undefined,
    write() {},
    async pick<T>({ choices }: PickOptions<T>): Promise<T | undefined> {
      reader.asked += 1;
      const wanted = labels.shift();
      return choices.find(({ label }) => label === wanted)?.value;
    },
  };
  return reader;
}

test("a chat asks once about each content, shows it first on demand, and remembers a yes and a no", async () => {
  const directory = workplace({ "AGENTS.md": "Use tabs.\u001b[31m" });
  const home = join(directory, "state");
  const config = {
    terminal: { theme: "auto", notify: "off", screenReader: false, instructions: true } as const,
    environment: { HOME: directory },
    home,
  };
  const written: string[] = [];
  const ask = async (reader: Reader) => {
    const write = (line: string): void => void written.push(line);
    const { signal } = new AbortController();
    const given = await askForInstructions({ config, locale: "en", write, directory }, (picking) =>
      pickOne(reader, picking, signal),
    );
    return given.map(({ text }) => text);
  };
  const first = readerChoosing("Show it first", "Yes");
  expect(await ask(first)).toEqual(["Use tabs.\u001b[31m"]);
  expect(written[0]).toMatch(/AGENTS\.md \(\d+ bytes\)$/);
  // What is shown draws nothing on the screen.
  expect(written[1]).not.toContain("\u001b");
  const second = readerChoosing();
  expect([await ask(second), second.asked]).toEqual([["Use tabs.\u001b[31m"], 0]);
  writeFileSync(join(directory, "AGENTS.md"), "Use spaces.");
  // Who closes the question has not decided.
  expect(await ask(readerChoosing())).toEqual([]);
  const third = readerChoosing("No");
  expect([await ask(third), third.asked]).toEqual([[], 1]);
  const fourth = readerChoosing("Yes");
  expect([await ask(fourth), fourth.asked]).toEqual([[], 0]);
});

test("`duet ask` gives both models the instructions of a folder once they are trusted, and never as a system prompt", async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const model = (id: string) => ({ provider: "openai", model: id, baseUrl: provider.openaiUrl });
  const models = { functionCall: model("cheap"), answer: model("strong") };
  const cwd = workplace({
    "duet.config.json": JSON.stringify({ models, search: { enabled: false } }),
    "AGENTS.md": "The tea is green.",
  });
  const env = { OPENAI_API_KEY: "sk-test-openai-0001", HOME: cwd, DUET_HOME: join(cwd, "state") };
  const run = async (...args: string[]) => {
    provider.script("cheap", { text: "enough" });
    provider.script("strong", { text: "It is green." });
    return runProgram(["ask", "Which tea?", "--output", "json", ...args], { cwd, env });
  };
  const sent = () =>
    ["cheap", "strong"].map((id) => JSON.stringify(provider.requests(id).at(-1)).includes("The tea is green."));

  const before = await run();
  expect([before.code, sent()]).toEqual([0, [false, false]]);
  expect(before.stderr).toContain("AGENTS.md: not used, because this content is not trusted.");
  const trusting = await runProgram(["config", "trust", "--yes"], { cwd, env });
  expect(trusting.stdout).toContain("is given to models as your instructions, and starts nothing");

  expect([(await run()).stderr, sent()]).toEqual(["", [true, true]]);
  for (const id of ["cheap", "strong"]) {
    const { messages = [] } =
      (provider.requests(id).at(-1) as { body?: { messages?: { role: string; content: string }[] } }).body ?? {};
    const roles = messages.filter(({ content }) => content.includes("The tea is green.")).map(({ role }) => role);
    expect([messages[0]?.role, messages[1]?.content.includes("The tea is green."), roles]).toEqual([
      "system",
      true,
      ["user"],
    ]);
  }
  expect([(await run("--no-instructions")).stderr, sent()]).toEqual(["", [false, false]]);
});

test("a file that is not UTF-8 text is named where it would be used, and where it is to be trusted", async () => {
  const cwd = workplace({ ".config/duet/AGENTS.md": "" });
  const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3]);
  writeFileSync(join(cwd, "AGENTS.md"), gbk);
  writeFileSync(join(cwd, ".config/duet/AGENTS.md"), gbk);
  const env = { HOME: cwd, DUET_HOME: join(cwd, "state") };
  const asked = await runProgram(["ask", "calculate 1 + 1"], { env, cwd });
  expect(asked.code).toBe(0);
  expect(asked.stderr).toContain(`${cwd}/AGENTS.md: is not UTF-8 text; it is not used as instructions\n`);
  expect(asked.stderr).toContain(`${cwd}/.config/duet/AGENTS.md: is not UTF-8 text; it is not used as instructions\n`);
  const trusted = await runProgram(["config", "trust", "--yes"], { env, cwd });
  expect([trusted.code, trusted.stderr]).toEqual([2, expect.stringMatching(/AGENTS\.md: is not UTF-8 text\n$/)]);
  writeFileSync(join(cwd, "duet.config.json"), "{}");
  const beside = await runProgram(["config", "trust", "--yes"], { env, cwd });
  expect([beside.code, beside.stdout]).toEqual([0, expect.stringContaining(`${cwd}/AGENTS.md: is not UTF-8 text;`)]);
  const without = await runProgram(["ask", "calculate 1 + 1", "--no-instructions"], { env, cwd });
  expect(without.stderr).not.toContain("UTF-8");
});
