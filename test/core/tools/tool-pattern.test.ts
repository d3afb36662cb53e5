import { expect, test } from "vitest";
import type { Tool, ToolAnnotations } from "../../../src/core/tools/tool.ts";
import {
  findFittingCalls,
  isMatchingCall,
  parseToolPattern,
  type ToolPattern,
} from "../../../src/core/tools/tool-pattern.ts";
import type { JsonObject } from "../../../src/kit/json.ts";

function pattern(written: string): ToolPattern {
  const parsed = parseToolPattern(written);
  if ("problem" in parsed) throw new Error(`${written}: ${parsed.problem.en}`);
  return parsed;
}

function tool(name: string, more: Partial<Tool> = {}): Tool {
  const run = async () => ({ ok: true, text: "" });
  return { name, description: "", inputSchema: { type: "object" }, source: "builtin", annotations: {}, run, ...more };
}

const forbids = (written: string, args: JsonObject) => isMatchingCall(pattern(written), tool("shell"), args, "some");
const allows = (written: string, args: JsonObject) => isMatchingCall(pattern(written), tool("shell"), args, "every");

test.each([
  ["shell", "shell", undefined, undefined],
  ["filesystem__write_*", "filesystem__write_*", undefined, undefined],
  ["*:destructive", "*", "destructive", undefined],
  ["*:READONLY", "*", "readOnly", undefined],
  ["shell(rm *)", "shell", undefined, { key: undefined, value: "rm *" }],
  ["shell( rm * )", "shell", undefined, { key: undefined, value: "rm *" }],
  ["read(path=/etc/*)", "read", undefined, { key: "path", value: "/etc/*" }],
  ["*:openWorld(url=https://*)", "*", "openWorld", { key: "url", value: "https://*" }],
  ["eval(f(x) = (1))", "eval", undefined, { key: undefined, value: "f(x) = (1)" }],
  ["文件__*", "文件__*", undefined, undefined],
])("%s is read", (written, name, annotation, argument) => {
  expect(pattern(written)).toMatchObject({ written, name });
  expect(pattern(written).annotation).toBe(annotation);
  if (argument === undefined) expect(pattern(written).argument).toBeUndefined();
  else expect(pattern(written).argument).toMatchObject(argument);
});

test.each([
  "",
  " ",
  "shell ",
  "a b",
  "shell(rm",
  "shell)",
  "(rm)",
  ":destructive",
  "*:dangerous",
  "*:",
  "shell(x)\n",
  "a(b)c",
  "[bad",
  "files.read",
  "{a,b}__*x",
])("%j is no pattern", (written) => {
  expect(parseToolPattern(written)).toHaveProperty("problem");
});

test.each<[string, Partial<Tool> & { name: string }, "all" | "some" | "none"]>([
  ["*", { name: "a" }, "all"],
  ["a", { name: "ab" }, "none"],
  ["A", { name: "a" }, "none"],
  ["fs__*", { name: "fs__read" }, "all"],
  ["fs__*", { name: "fs_read" }, "none"],
  ["文件__*", { name: "___read--0123456789", source: "文件" }, "all"],
  ["文件__*", { name: "___read--0123456789", source: "图片" }, "none"],
  ["*:destructive", { name: "a", annotations: { destructive: true } }, "all"],
  ["*:destructive", { name: "a", annotations: { destructive: false } }, "none"],
  ["*:destructive", { name: "a" }, "none"],
  ["*:destructive", { name: "a", annotations: { destructive: true, readOnly: true } }, "all"],
  ["*:readOnly", { name: "a", annotations: { destructive: true, readOnly: true } }, "none"],
  ["*:readOnly", { name: "a", annotationsFor: () => ({ readOnly: true }) }, "some"],
  ["a(x)", { name: "a" }, "some"],
  ["b(x)", { name: "a" }, "none"],
])("of the calls of a tool, %s fits before there is one: %o %s", (written, { name, ...more }, expected) => {
  expect(findFittingCalls(pattern(written), tool(name, more))).toBe(expected);
});

test("where annotations depend on the arguments, those of the call count", () => {
  const annotationsFor = ({ method }: JsonObject): ToolAnnotations => ({ destructive: method !== "GET" });
  const request = tool("http_request", { annotations: { destructive: true }, annotationsFor });
  expect(isMatchingCall(pattern("*:destructive"), request, { method: "GET" }, "some")).toBe(false);
  expect(isMatchingCall(pattern("*:destructive"), request, { method: "POST" }, "some")).toBe(true);
});

test.each<[string, JsonObject]>([
  ["shell(rm *)", { command: "rm -rf /" }],
  ["shell(rm *)", { command: "rm" }],
  ["shell(rm *)", { command: "  rm\t\n -rf /" }],
  ["shell(rm *)", { command: "rm\u3000-rf" }],
  ["shell(rm *)", { command: "RM -rf /" }],
  ["shell(rm *)", { command: "ｒｍ -rf /" }],
  ["shell(rm *)", { command: "r\u200bm -rf /" }],
  ["shell(rm *)", { command: "r\u00adm\u2060 -rf /" }],
  ["shell(rm *)", { command: ["rm", "-rf", "/"] }],
  ["shell(rm *)", { command: "rm", args: ["-rf", "/"] }],
  ["shell(rm *)", { args: ["-rf", "/"], command: "rm" }],
  ["shell(git push *)", { command: "git", args: ["push", "--force"] }],
  ["shell(rm *)", { steps: [{ run: { command: "rm -rf /" } }] }],
  ["shell(rm *)", { harmless: "ls", command: "rm -rf /" }],
  ["shell(7)", { level: 7 }],
  ["shell(force=true)", { force: true }],
  ["shell(force=false)", { force: false }],
  ["shell(path=/etc/*)", { path: "/etc/passwd" }],
  ["shell(path=/etc/*)", { path: "//etc//passwd" }],
  ["shell(path=/etc/*)", { path: "/tmp/../etc/./passwd" }],
  ["shell(path=secrets/*)", { path: "./secrets/key" }],
  ["shell(path=secrets/*)", { path: ".\\secrets\\key" }],
  ["shell(path=/etc/*)", { Path: "/etc/passwd" }],
  ["shell(path=/etc/*)", { path: ["/tmp/a", "/etc/passwd"] }],
  ["shell(path=/etc/*)", { edits: [{ path: "/etc/passwd" }] }],
  ["shell(url=http://evil.example/*)", { url: "HTTP://ＥＶＩＬ.example:80/x" }],
  ["shell(url=http://evil.example/*)", { url: "http://ev\u00adil.exa\tmple/x" }],
  ["shell(url=http://evil.example/*)", { url: "http:\\\\%65vil.example/x" }],
  ["shell(FOO=1 *)", { command: "FOO=1 rm" }],
  ["shell(authorization)", { headers: { Authorization: "x" } }],
  ["shell(*密钥*)", { text: "我的密钥是" }],
  ["shell(*caf\u00e9*)", { text: "the cafe\u0301 there" }],
])("what forbids by %s catches %j", (written, args) => {
  expect(forbids(written, args)).toBe(true);
});

test.each<[string, JsonObject]>([
  ["shell(rm *)", {}],
  ["shell(rm *)", { command: "ls", note: "rmdir" }],
  ["shell(rm *)", { command: "alarm -rf" }],
  ["shell(rm *)", { command: null }],
  ["shell(path=/etc/*)", { target: "/etc/passwd" }],
  ["shell(path=/etc/*)", { path: "/etcetera" }],
  ["shell(constructor=*)", { command: "ls" }],
  ["shell(command)", { command: "ls" }],
])("what forbids by %s leaves %j alone", (written, args) => {
  expect(forbids(written, args)).toBe(false);
});

test.each<[string, JsonObject]>([
  ["shell(git *)", { command: "git status" }],
  ["shell(git *)", { commands: ["git status", "git diff"] }],
  ["shell(command=git *)", { command: "git status", note: "anything" }],
  ["shell(path=/tmp/*)", { path: "/tmp/a..b/c" }],
  ["shell(path=/tmp/*)", { path: "/tmp/a/../b" }],
  ["shell(url=https://ok.example/public/*)", { url: "https://ok.example/public/a/../b" }],
  ["shell(force=false)", { force: false }],
  ["shell(*)", { a: 1, b: ["x", true], c: null }],
])("what allows by %s takes %j", (written, args) => {
  expect(allows(written, args)).toBe(true);
});

test.each<[string, JsonObject]>([
  ["shell(git *)", {}],
  ["shell(git *)", { command: null }],
  ["shell(git *)", { commands: [] }],
  ["shell(git *)", { command: "git" }],
  ["shell(git *)", { command: "GIT status" }],
  ["shell(git *)", { command: " git status" }],
  ["shell(git *)", { command: "ｇｉｔ status" }],
  ["shell(make clean)", { command: "make\nclean" }],
  ["shell(git *)", { command: "git status", next: "rm -rf /" }],
  ["shell(git *)", { commands: ["git status", "rm -rf /"] }],
  ["shell(git *)", { command: { first: "git status", rest: [["rm"]] } }],
  ["shell(command=git *)", { Command: "git status" }],
  ["shell(command=git *)", { nested: { command: "git status" } }],
  ["shell(command=git *)", { command: ["git status", "rm"] }],
  ["shell(constructor=*)", { command: "ls" }],
  ["shell(__proto__=*)", { command: "ls" }],
  ["shell(path=/tmp/*)", { path: "/tmp/../etc/passwd" }],
  ["shell(path=/tmp/*)", { path: "/tmp/x/..\\..\\..\\etc" }],
  ["shell(path=/tmp/*)", { path: "/tmp/.." }],
  ["shell(url=https://ok.example/public/*)", { url: "https://ok.example/public/../admin" }],
  ["shell(url=https://ok.example/public/*)", { url: "https://ok.example/public/%2e%2E/admin" }],
  ["shell(url=https://ok.example/public/*)", { url: "https://ok.example/public/.\t./admin" }],
  ["shell(url=https://ok.example/*)", { url: "https://ok.example.evil.example/" }],
])("what allows by %s refuses %j", (written, args) => {
  expect(allows(written, args)).toBe(false);
});
