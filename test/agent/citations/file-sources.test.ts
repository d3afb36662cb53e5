import { afterAll, expect, test } from "vitest";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { createBuiltinTools } from "../../../src/tools/builtin/builtin-tools.ts";
import { createHeavyWork } from "../../../src/tools/workers/heavy-work.ts";
import { outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";
import { temporaryFiles } from "../../tools/builtin/files.ts";

const work = createHeavyWork();
afterAll(() => work.close());

test("what tools read of files is cited by the file, which keeps its number through the conversation", async () => {
  await using files = await temporaryFiles({
    "sales.csv": "date,amount\n2026-01-02,10\n2026-01-03,32\n",
    "app.log": "2026-11-20 08:00:00 ERROR [db] timeout\n",
    "notes.md": "- On call this week: Marek.\n",
    "team.md": "Who is on call calls back.\n",
    "data.md": "nothing\n",
  });
  const tools = createBuiltinTools({ roots: [files.path], locale: "en", search: undefined, work });
  const store = createMemoryStore();
  const { id: conversationId } = await store.create();
  const call = (id: string, name: string, input: Record<string, string>) => ({ id, name, input });
  const asked = [
    [call("1", "table_query", { path: "sales.csv" })],
    [call("2", "log_transform", { path: "app.log" })],
    [call("3", "file_search", { query: "on call" })],
    [
      call("4", "format_data", { path: "sales.csv", to: "markdown" }),
      call("5", "file_search", { query: "data", match: "name" }),
    ],
  ];
  const model = scriptedModel([...asked, "Enough."]);
  const answer = scriptedModel(["Marek is on call [3]; the sales are 42 in total [1]."]);
  const models = { functionCall: model, answer };
  const limits = { maxToolCalls: 9, maxIterations: 9 };
  const options = { tools, store, conversationId, limits };
  const outcome = outcomeOf(await runAll({ ...options, models, question: "Who is on call?" }));
  const read = model.requests.at(-1)?.messages.flatMap(({ role, content }) => (role === "tool" ? [content] : [])) ?? [];
  expect(read[0]).toMatch(/^<<<.*\n\[1\] sales\.csv: 2 rows read/);
  expect(read[1]).toMatch(/^<<<.*\n\[2\] app\.log: 1 line/);
  expect(read[2]).toMatch(
    /notes\.md:1: - On call this week: Marek\.\nteam\.md:1: .*\n\[3\] notes\.md, \[4\] team\.md\n/,
  );
  expect(read[3]).toMatch(/^<<<.*\n\[1\] sales\.csv: csv → markdown/);
  expect(read[4]).toContain("data.md");
  expect(read[4]).not.toMatch(/\[\d\]/);
  expect(outcome.response).toMatch(/References\n\n- \[1\] sales\.csv file:.*\n- \[3\] notes\.md file:/);

  const later = scriptedModel([[call("1", "read_file", { path: "app.log" })], "Enough."]);
  await runAll({ ...options, models: { functionCall: later, answer: later }, question: "And the log?" });
  expect(later.requests.at(-1)?.messages.at(-1)?.content).toMatch(/\n\[2\] app\.log, lines 1-1 of 1/);
});
