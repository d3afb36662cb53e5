import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { mayRunPython, requires, unix } from "../runner/requirements.ts";
import { readBlocks, taggedDocuments } from "./blocks.ts";
import { toShell } from "./shell-words.ts";

const blocks = taggedDocuments.flatMap((file) => readBlocks(file)).filter(({ tag }) => tag?.way !== "untested");
const shell = blocks.filter(({ language }) => language === "sh" || language === "console");
const python = blocks.filter(({ language }) => language === "python");

// One process reads all of them: a function each, none of which is called.
test("a shell can read what it is given by the documents", requires(unix), () => {
  const functions = shell.map(({ language, text }, index) => `read_${index}() {\n:\n${toShell(language, text)}}\n`);
  expect(functions.length).toBeGreaterThan(50);
  expect(readWith("sh", ["-n"], functions.join(""))).toBe("");
  expect(readWith("sh", ["-n"], "read_0() {\nduet ask 'hi\n}\n")).toContain("nterminated");
});

const interpreter = mayRunPython();
const compileAll = `import ast, json, sys
for name, text in json.load(sys.stdin): ast.parse(text, name)`;

test("Python can read the code of the documents", requires(interpreter), () => {
  const files = python.map(({ file, line, text }) => [`${file}:${line}`, text]);
  expect(files.length).toBeGreaterThan(15);
  expect(readWith(interpreter.command, ["-c", compileAll], JSON.stringify(files))).toBe("");
  expect(readWith(interpreter.command, ["-c", compileAll], '[["page.md:1", "def"]]')).toContain('File "page.md:1"');
});

/** What the program says on stderr. */
function readWith(command: string, args: readonly string[], input: string): string {
  return spawnSync(command, args, { input, encoding: "utf8" }).stderr;
}
