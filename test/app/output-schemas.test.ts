import { resolve } from "node:path";
import { expect, test } from "vitest";
import { askAs, duetWith } from "../fakes/callers.ts";
import { scriptedModel } from "../fakes/model.ts";
import { compileCache } from "../fakes/program.ts";

test("a result that breaks its output schema reaches the model whole, with the field that is wrong, which is told once", async () => {
  const below = { command: process.execPath, args: [resolve("test/fakes/mcp-offering.ts")], env: compileCache() };
  const call = (name: string, id: string) => [{ id, name: `below__${name}`, input: { a: 1, b: 2 } }];
  const model = scriptedModel([call("lies", "1"), call("lies", "2"), call("sum", "3"), "Done."]);
  const duet = await duetWith(
    { models: { functionCall: model, alone: true }, startServers: "when-wanted" },
    { mcpServers: { below } },
  );
  const { events } = await askAs(duet, {}, "Do that.");

  const results = model.requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
  const [first = "", second = "", right = ""] = results.map(({ content }) => String(content));
  const said = "its output schema (x: must be a number";
  for (const text of [first, second]) {
    expect(text).toContain("did that");
    expect(text).toContain(`The result has structured content that does not fit ${said}`);
  }
  expect(right).toContain("a sum");
  expect(right).not.toContain("does not fit");
  const told = events.filter((event) => event.type === "notice" && event.code === "result-misfit");
  expect(told).toMatchObject([{ level: "warning", message: expect.stringContaining(said) }]);
  expect(told[0]).toMatchObject({
    message: expect.stringContaining("The tool lies of the MCP server below has a bug"),
  });
});
