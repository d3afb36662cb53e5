import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reviewCall } from "../../../src/app/questions/review-call.ts";
import {
  createSavedRules,
  renderSavedRule,
  type SavedRule,
  toSavedRule,
} from "../../../src/app/questions/saved-rules.ts";
import type { ApprovalRequest } from "../../../src/core/tools/tool.ts";
import { temporaryFolder } from "../../fakes/program.ts";

const call: ApprovalRequest = {
  tool: "fs__write_file",
  arguments: { path: "/w/a.txt", content: "x", force: false },
  rule: "tools.ask: *:destructive",
  onlyOnce: false,
};

/** The rule for a call, in a folder whose files can be read. */
async function toRule(request: ApprovalRequest, folder = "/w"): Promise<SavedRule | undefined> {
  const review = await reviewCall(request, async (path) => ({ path, text: "before" }));
  return toSavedRule(request, { folder, review });
}

/** Is true where the rule that "always" saves for the first call allows the second one. */
async function isAllowed(first: ApprovalRequest, second: ApprovalRequest, folder = "/w"): Promise<boolean> {
  const home = await temporaryFolder();
  const rule = await toRule(first);
  if (rule === undefined) throw new Error("no rule");
  await createSavedRules(home, "/w").add(rule);
  const wanted = await toRule(second, folder);
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
    [withArguments({ extra: 1 })],
    [withArguments({ force: true })],
    [withArguments({ edits: [] })],
    [{ ...call, tool: "fs__delete_file" }],
    [{ ...call, rule: "tools.ask: fs__*" }],
    [call, "/elsewhere"],
  ];
  for (const [other, folder] of others) expect(await isAllowed(call, other, folder), JSON.stringify(other)).toBe(false);
  // What is sent away is no content of a file, whatever its name; and no key is lost.
  const mail = { ...call, tool: "mail__send" };
  expect(await isAllowed(mail, mail)).toBe(true);
  expect(await isAllowed(mail, { ...mail, arguments: { ...mail.arguments, content: "other" } })).toBe(false);
  const odd = { ...call, arguments: { ...call.arguments, ["__proto__"]: "x" } };
  expect(await toRule(odd)).toBeUndefined();
  const command = { ...call, tool: "shell", arguments: { command: "npm test", content: "x" } };
  expect(await isAllowed(command, { ...command, arguments: { command: "npm test", content: "y" } })).toBe(false);
});

test("no rule is saved for what is asked each time, for what has a reason of its own, and for what nobody can read", async () => {
  expect(await toRule({ ...call, onlyOnce: true })).toBeUndefined();
  expect(await toRule({ ...call, reason: "It sends private data out." })).toBeUndefined();
  expect(await toRule({ ...call, arguments: { text: "x".repeat(400) } })).toBeUndefined();
  expect(renderSavedRule((await toRule(call)) ?? expect.unreachable())).toBe(
    'fs__write_file(path="/w/a.txt", force=false, content=*)',
  );
});

test("rules last, are for the user alone, and are revoked one by one; a damaged file holds none", async () => {
  const home = await temporaryFolder();
  const rules = createSavedRules(home, "/w");
  const one = (await toRule(call)) ?? expect.unreachable();
  const other = (await toRule({ ...call, tool: "other" })) ?? expect.unreachable();
  for (const rule of [one, other, one]) await rules.add(rule);
  expect(await createSavedRules(home, "/w").list()).toEqual([other, one]);
  expect((await stat(join(home, "permissions.json"))).mode & 0o77).toBe(0);
  await rules.remove(one);
  expect([await rules.has(one), await rules.has(other)]).toEqual([false, true]);
  await writeFile(join(home, "permissions.json"), '{"rules":[{"tool":"other"}]}');
  expect(await rules.list()).toEqual([]);
  await expect(rules.add(one)).rejects.toThrow();
  expect(await readFile(join(home, "permissions.json"), "utf8")).toBe('{"rules":[{"tool":"other"}]}');
});
