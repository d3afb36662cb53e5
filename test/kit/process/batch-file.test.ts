import { describe, expect, test } from "vitest";
import { checkBatchArguments } from "../../../src/kit/process/batch-file.ts";

const files = ["C:\\node\\node.exe", "C:\\node\\npx", "C:\\node\\npx.cmd", "C:\\work\\run.bat", "C:\\tools\\a.b.cmd"];
const search = {
  path: "C:\\windows;C:\\node;C:\\tools",
  extensions: ".COM;.EXE;.BAT;.CMD",
  cwd: "C:\\work",
  isFile: (file: string) => files.some((each) => each.toLowerCase() === file.toLowerCase()),
};
const refuse = (command: string, ...args: string[]) => checkBatchArguments(command, args, search);

describe("what cmd.exe would read twice", () => {
  test.each(["%PATH%", 'a"b', "a^b", "a&calc.exe", "a|b", "<in", ">out", "a\nb", "a\rb"])(
    "%j is refused",
    (argument) => {
      expect(() => refuse("npx", "-y", argument)).toThrow(
        /^args\[1\]: ".*" cannot be passed safely to C:\\node\\npx\.cmd, which Windows runs by cmd\.exe/i,
      );
    },
  );

  test.each(["npx.cmd", "C:\\node\\npx.CMD", "run", "run.bat", ".\\run.bat", "a.b", "unknown", "npx.cmd.", "npx.cmd "])(
    "is refused for %j",
    (command) => {
      expect(() => refuse(command, "a&b")).toThrow("args[0]");
    },
  );

  test("is refused in the command itself", () => {
    expect(() => refuse("x&calc.exe")).toThrow('command: "x&calc.exe"');
  });
});

test.each(["@scope/name", "--key=value", "C:\\a b\\c", "it's", "(x)", "高德", ""])("%j is harmless", (argument) => {
  expect(() => refuse("npx", argument)).not.toThrow();
});

test.each(["node", "node.exe", "C:\\node\\node"])("%s, a program, may be given anything", (command) => {
  expect(() => refuse(command, "-e", 'console.log("%PATH%" & 1)')).not.toThrow();
});
