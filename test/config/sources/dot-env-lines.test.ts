import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { describeUnreadLines, findUnreadLines } from "../../../src/config/sources/dot-env-lines.ts";
import { runWarmProgram } from "../../fakes/warm-program.ts";
import { workplace } from "../workplace.ts";

test.each<[string, number[], string[]]>([
  ["A=1\n\n# a note\nexport B=2\n  C = 3 # why\nD=\n", [], ["A", "B", "C", "D"]],
  ["\uFEFFA=1\r\nOPENAI_API_KEY: sk-x\r\nB=2\r\n", [2], ["A", "B"]],
  ["broken line\nA=1\nexport B", [1, 3], ["A"]],
  ['A="one\nno assignment, but quoted\nthree"\nodd\nB=2', [4], ["A", "B"]],
  ["A='it\nodd\nB=2", [2], ["A", "B"]],
  ["=x\nA=1", [1], ["A"]],
  ["OPENAI_API_KEY: c2VjcmV0==\nA B=1\nexport C = 1", [1, 2], ["A B", "C", "OPENAI_API_KEY: c2VjcmV0"]],
  ["A=   \nB=2\nC=3", [2], ["A", "C"]],
  ["A=\t\r\n\r\n'B=2\nodd'\nC=3", [3], ["A", "C"]],
  ["A= \n# a note\nB=2\nC= ", [], ["A", "B", "C"]],
  ["A=1\rB=2\nC=3", [], ["A", "C"]],
])("of %j the lines %j are no assignment, and Node reads %j", (text, lines, names) => {
  expect(findUnreadLines(text)).toEqual(lines);
  expect(Object.keys(parseEnv(text.replace("\uFEFF", ""))).sort()).toEqual(names);
});

test("at most ten lines are named", () => {
  const unread = findUnreadLines("odd\n".repeat(12));
  expect(describeUnreadLines({ file: "x", unread })?.en.match(/x:\d+/g)).toHaveLength(10);
});

test.each(["ask", "doctor"])("duet %s names the file and the line, and nothing that stands there", async (command) => {
  const cwd = workplace({ ".env": "A=1\nOPENAI_API_KEY: sk-secret-0123456789\n" });
  writeFileSync(join(cwd, "duet.config.json"), "{}");
  const words = command === "ask" ? [command, "calculate 1 + 1"] : [command];
  const { stdout, stderr } = await runWarmProgram(words, { cwd, env: { HOME: cwd } });
  expect(command === "ask" ? stderr : stdout).toContain(`.env:2: not used, because it is not NAME=value`);
  expect(stdout + stderr).not.toContain("sk-secret");
});

test("the lines are a finding in the JSON of duet doctor", async () => {
  const cwd = workplace({ ".env": "A=1\nodd\n" });
  const { stdout, stderr } = await runWarmProgram(["doctor", "--output", "json"], { cwd, env: { HOME: cwd } });
  const { checks } = JSON.parse(stdout);
  expect(checks).toContainEqual(expect.objectContaining({ topic: "configuration", state: "none", lines: [2] }));
  expect(stderr).not.toContain("NAME=value");
});
