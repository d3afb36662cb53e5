import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFailure, type Tool, type ToolContext } from "../../src/core/tools/tool.ts";
import { readCaseFile } from "../../src/eval/read-case-file.ts";
import { createToolBook } from "../../src/eval/recording/intercept-tools.ts";
import { readRecording } from "../../src/eval/recording/read-recording.ts";
import { openRecordingWriter } from "../../src/eval/recording/recording-writer.ts";
import { getMessage } from "../../src/kit/errors.ts";
import { temporaryFolder } from "../fakes/program.ts";

const times = { total_ms: 1, first_text_ms: null, calls_ms: [], phases: {} };
const redact = (text: string): string => text;

test("a recording that was cut off inside a line goes on behind the line before it", async () => {
  const recording = join(await temporaryFolder(), "run.jsonl");
  const first = await openRecordingWriter(recording, { redact, goesOn: false });
  await first.addAttempt("a", [], times);
  const whole = readFileSync(recording, "utf8");
  // Longer than what is looked through at once.
  appendFileSync(recording, `{"attempt": {"name": "${"b".repeat(200_000)}`);
  const second = await openRecordingWriter(recording, { redact, goesOn: true });
  expect(readFileSync(recording, "utf8")).toBe(whole);
  await second.addAttempt("b", [], times);
  const { madeAt, attempts } = await readRecording(recording);
  expect({ madeAt, names: [...attempts.keys()] }).toEqual({ madeAt: first.madeAt, names: ["a", "b"] });
});

test("a recorded tool without calls runs itself only where it neither has an effect nor asks the network", async () => {
  const run: string[] = [];
  const create = (name: string, annotations: Tool["annotations"]): Tool => ({
    ...{ name, description: name, inputSchema: { type: "object" }, source: "builtin", annotations },
    async run() {
      run.push(name);
      return createFailure("tool", "done");
    },
  });
  const tools = [
    create("calculator", { readOnly: true }),
    create("send_email", { readOnly: false, openWorld: true }),
    create("read_page", { readOnly: true, openWorld: true }),
    create("unmarked", {}),
  ];
  const recorded = tools.map(({ run: _, ...tool }) => ({ ...tool, origin: "builtin" as const }));
  const book = createToolBook({ madeAt: "", tools: recorded, models: new Map(), attempts: new Map(), calls: [] });
  const context: ToolContext = { signal: new AbortController().signal, locale: "en", progress() {}, notice() {} };
  const texts: string[] = [];
  for (const tool of book.replaceTools(tools, "builtin")) texts.push((await tool.run({}, context)).text);
  expect(run).toEqual(["calculator"]);
  expect(texts.slice(1)).toEqual(
    ["send_email", "read_page", "unmarked"].map(
      (name) => `the recorded tools hold no call of ${name} with these arguments`,
    ),
  );
});

test("what no answer and no call could fit is wrong in a file of cases", async () => {
  const file = join(await temporaryFolder(), "cases.json");
  const [one, calls] = [{ type: "object" }, [{ tool: "a", arguments: { b: [{ $matches: "(" }] } }]];
  const cases = [
    { id: "twice", question: "?", answer: [{ schema: one }, { schema: one }] },
    { id: "list", question: "?", answer: [{ schema: { type: "array" } }] },
    { id: "pattern", question: "?", calls },
  ];
  writeFileSync(file, JSON.stringify({ cases }));
  const thrown: unknown = await readCaseFile(file).catch((error: unknown) => error);
  expect(getMessage(thrown).split("\n")).toEqual([
    "cases.json: cases[0].answer: schema is there several times (allowed: once, as an answer has one form)",
    expect.stringMatching(/^cases\.json: cases\[1\]\.answer\[0\]\.schema: /),
    expect.stringMatching(
      /^cases\.json: cases\[2\]\.calls\[0\]\.arguments\.b\[0\]\.\$matches: Invalid regular expression/,
    ),
  ]);
});
