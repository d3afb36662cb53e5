import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSavedRules, renderSavedRule, toSavedRule } from "../../../src/app/questions/saved-rules.ts";
import type { ApprovalRequest } from "../../../src/core/tools/tool.ts";
import { temporaryFolder } from "../../fakes/program.ts";

const call: ApprovalRequest = {
  tool: "fs__write_file",
  arguments: { path: "/w/a.txt", content: "x", mode: "w" },
  rule: "tools.ask: *:destructive",
  onlyOnce: false,
};

/** Is true where the rule that "always" saves for the first call allows the second one. */
async function isAllowed(first: ApprovalRequest, second: ApprovalRequest, folder = "/w"): Promise<boolean> {
  const home = await temporaryFolder();
  const rule = toSavedRule(first, "/w");
  if (rule === undefined) throw new Error("no rule");
  await createSavedRules(home, "/w").add(rule);
  const wanted = toSavedRule(second, folder);
  return wanted !== undefined && (await createSavedRules(home, folder).has(wanted));
}

test("a saved rule allows the same call and another content of the same file, and nothing else", async () => {
  const withArguments = (more: ApprovalRequest["arguments"]) => ({
    ...call,
    arguments: { ...call.arguments, ...more },
  });
  expect(await isAllowed(call, call)).toBe(true);
  expect(await isAllowed(call, withArguments({ content: "other" }))).toBe(true);
  const others: [ApprovalRequest, string?][] = [
    [withArguments({ path: "/w/b.txt" })],
    [withArguments({ mode: "a" })],
    [withArguments({ force: true })],
    [withArguments({ edits: [] })],
    [{ ...call, tool: "fs__delete_file" }],
    [{ ...call, rule: "tools.ask: fs__*" }],
    [call, "/elsewhere"],
  ];
  for (const [other, folder] of others) expect(await isAllowed(call, other, folder), JSON.stringify(other)).toBe(false);
  const command = { ...call, tool: "shell", arguments: { command: "npm test", content: "x" } };
  expect(await isAllowed(command, { ...command, arguments: { command: "npm test", content: "y" } })).toBe(false);
});

test("no rule is saved for what is asked each time, for what has a reason of its own, and for what nobody can read", () => {
  expect(toSavedRule({ ...call, onlyOnce: true }, "/w")).toBeUndefined();
  expect(toSavedRule({ ...call, reason: "It sends private data out." }, "/w")).toBeUndefined();
  expect(toSavedRule({ ...call, arguments: { text: "x".repeat(400) } }, "/w")).toBeUndefined();
  expect(renderSavedRule(toSavedRule(call, "/w") ?? expect.unreachable())).toBe(
    'fs__write_file(path="/w/a.txt", mode="w", content=*)',
  );
});

test("rules last, are for the user alone, and are revoked one by one; a damaged file holds none", async () => {
  const home = await temporaryFolder();
  const rules = createSavedRules(home, "/w");
  const one = toSavedRule(call, "/w") ?? expect.unreachable();
  const other = toSavedRule({ ...call, tool: "other" }, "/w") ?? expect.unreachable();
  for (const rule of [one, other, one]) await rules.add(rule);
  expect(await createSavedRules(home, "/w").list()).toEqual([other, one]);
  expect((await stat(join(home, "permissions.json"))).mode & 0o77).toBe(0);
  await rules.remove(one);
  expect([await rules.has(one), await rules.has(other)]).toEqual([false, true]);
  await writeFile(join(home, "permissions.json"), '{"rules":[{"tool":"other"}]}');
  expect(await rules.list()).toEqual([]);
});
