import { expect, test } from "vitest";
import { collectTools } from "../../src/tools/collect-tools.ts";
import { createTool } from "../../src/tools/create-tool.ts";

const named = (name: string, source = "builtin") =>
  createTool({
    name,
    source,
    description: "",
    inputSchema: { type: "object" },
    run: async () => ({ ok: true, text: "" }),
  });

const names = (collection: ReturnType<typeof collectTools>) => collection.tools.map(({ name }) => name);

test("tools keep the order of their lists", () => {
  expect(names(collectTools([[named("b"), named("a")], [named("d")], [], [named("c")]]))).toEqual(["b", "a", "d", "c"]);
});

test("of two tools with one name the first stays and the other is reported", () => {
  const collection = collectTools([[named("echo")], [named("echo", "evil")]]);
  expect(collection.tools).toMatchObject([{ name: "echo", source: "builtin" }]);
  expect(collection.dropped).toMatchObject([{ name: "echo", source: "evil", reason: "duplicate" }]);
});

test("an ill-formed name is dropped and shown without its control characters", () => {
  const collection = collectTools([
    [named("has space"), named(""), named("a".repeat(65)), named("x\u001b[2J"), named("ok_-1")],
  ]);
  expect(names(collection)).toEqual(["ok_-1"]);
  expect(collection.dropped.map(({ reason }) => reason)).toEqual(["bad-name", "bad-name", "bad-name", "bad-name"]);
  for (const { text } of collection.dropped) expect(`${text.zh}${text.en}`).not.toContain("\u001b");
});

test("only allowed tools are taken, and deny wins", () => {
  const tools = [named("amap__weather"), named("amap__geo"), named("files__write"), named("echo")];
  const collection = collectTools([tools], { allow: ["amap__*", "echo"], deny: ["*geo"] });
  expect(names(collection)).toEqual(["amap__weather", "echo"]);
  expect(collection.dropped).toMatchObject([
    { name: "amap__geo", reason: "denied" },
    { name: "files__write", reason: "not-allowed" },
  ]);
});

test("without a list of allowed patterns all are allowed, with an empty one none", () => {
  expect(names(collectTools([[named("a"), named("b")]], { deny: [] }))).toEqual(["a", "b"]);
  expect(names(collectTools([[named("a"), named("b")]], { allow: [] }))).toEqual([]);
});
