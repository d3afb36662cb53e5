import { expect, test } from "vitest";
import { parse } from "yaml";
import { hosts } from "../../../../src/cli/install/hosts.ts";
import { planChange } from "../../../../src/cli/install/install.ts";
import { launch } from "../machine.ts";

const wanted = { launch, values: {}, names: [] };

/** What goose's file becomes. */
function installed(before: string): string {
  return planChange(hosts.goose, "file", before, "duet", wanted).text;
}

function removed(before: string): string {
  return planChange(hosts.goose, "file", before, "duet", undefined).text;
}

test("an entry that is there is changed line by line, and comments and limits in it stay", () => {
  const before = `extensions:
    duet: # the agent
        type: stdio
        name: duet
        cmd: '/old/node' # by hand
        args: [ "/old/duet.js" ] # here
        enabled: false
        timeout: 40 # short
        # nothing more
    other: { type: builtin }
`;
  expect(installed(before)).toBe(`extensions:
    duet: # the agent
        type: stdio
        name: duet
        cmd: /absolute/path/to/node # by hand
        args: ${JSON.stringify([...launch.args, "--window", "33"])} # here
        enabled: false
        timeout: 40 # short
        # nothing more
    other: { type: builtin }
`);
  expect(removed(before)).toBe("extensions:\n    other: { type: builtin }\n");
});

test.each([
  ["nothing", ""],
  ["comments alone", "# mine\n"],
  ["no extensions yet and no line end", "a: 1"],
  ["extensions that are nothing", "extensions:\na: 1\n"],
  ["extensions that are empty", "extensions: {} # none\na: 1\n"],
  ["line ends of Windows", "a: 1\r\nextensions:\r\n  b:\r\n    enabled: true\r\n"],
  ["half an entry", "extensions:\n  duet:\n    enabled: true\n"],
  ["an entry in braces", 'extensions:\n  duet: { cmd: "old" }\n  b: { enabled: true }\n'],
  ["another document form", "---\nextensions:\n  b:\n    enabled: true\n"],
])("a file with %s gets the entry, keeps its line ends and is stable", (_, before) => {
  const after = installed(before);
  expect(parse(after)).toMatchObject({ extensions: { duet: { cmd: launch.command } } });
  expect(after.includes("\r\n") && /[^\r]\n/.test(after)).toBe(false);
  expect(installed(after)).toBe(after);
  expect(parse(removed(after))?.extensions).not.toHaveProperty("duet");
});

test.each([
  ["no YAML", "a: 1\nb: [1\n", ":3:1: is not valid YAML; the file was not changed"],
  ["no mapping", "- a\n", ": is not an object; the file was not changed"],
  [
    "extensions in braces",
    "extensions: { a: { type: builtin } }\n",
    ": extensions is written in braces; the file was not",
  ],
  [
    "an entry that another one repeats",
    "extensions:\n  duet: &x\n    cmd: y\n  b: *x\n",
    ": duet cannot be changed without",
  ],
])("a file with %s is refused in one line", (_, before, message) => {
  expect(() => installed(before)).toThrow(`file${message}`);
});
