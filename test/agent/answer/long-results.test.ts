import { expect, test } from "vitest";
import { makeTool } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";
import { lastAsked } from "../plan/planning.ts";

const text = Array.from({ length: 12_000 }, (_, index) => `line ${index}`).join("\n");
const page = makeTool("page", () => ({ ok: true, text }));

test("the answer model reads one result for what was read in parts, and at most 40,000 characters of all results", async () => {
  const parts = [20_000, 40_000, 60_000].map((from) => ({
    id: `${from}`,
    name: "read_result",
    input: { result: 1, from },
  }));
  const functionCall = scriptedModel([[{ id: "1", name: "page", input: {} }], parts, "Enough."], "cheap");
  const answer = scriptedModel(["Done."], "strong");
  await runAll({ question: "Which lines?", tools: [page], models: { functionCall, answer } });
  const asked = lastAsked(answer, 0);
  expect(asked.match(/^### /gm)).toHaveLength(1);
  expect(asked).not.toContain("read_result");
  expect(asked.length).toBeGreaterThan(30_000);
  expect(asked.length).toBeLessThan(41_000);
  expect(asked).toMatch(/characters left out/);
});
