import { expect, test } from "vitest";
import { chatCommands } from "../../src/cli/chat/command-list.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";
import { readDocument } from "./pages.ts";

const languages = ["", ".zh"];

test.each(languages)("the page of commands%s lists every command that the help lists", async (language) => {
  const commands = await readCommands([]);
  expect(commands).toEqual(expect.arrayContaining(["ask", "serve", "doctor"]));
  const nested = await Promise.all(
    commands.map(async (name) => (await readCommands([name])).map((inner) => `${name} ${inner}`)),
  );
  expect(nested.flat()).toContain("tools approve");
  const page = readDocument(`docs/commands${language}.md`);
  const rows = page.split("\n").filter((line) => line.startsWith("| `duet"));
  const listed = (command: string): boolean => {
    const [name = "", inner] = command.split(" ");
    return rows.some((row) => {
      const [, cell = ""] = row.split(" | ")[0]?.split("| ") ?? [];
      const words = cell.replaceAll("`", "").split(/[\s、,[\]]+/);
      return words.includes(name) && (inner === undefined || words.includes(inner));
    });
  };
  // `list` is what `duet conversations` does without a further word.
  const all = [...commands, ...nested.flat()].filter((command) => command !== "conversations list");
  expect(all.filter((command) => !listed(command))).toEqual([]);
});

test.each(languages)("the page of the chat%s lists every command of the chat", (language) => {
  const page = readDocument(`docs/chat${language}.md`);
  expect(chatCommands.length).toBeGreaterThan(15);
  const names = chatCommands.map(({ name }) => name);
  expect(names.filter((name) => !new RegExp(`\`${name}[ \`]`).test(page))).toEqual([]);
});

/** The commands in the help of a command. */
async function readCommands(command: readonly string[]): Promise<string[]> {
  const { stdout, stderr } = await runProgram([...command, "--help"]);
  expect(stderr).toBe("");
  const lines = new RegExp(`^  ${["duet", ...command].join(" ")} ([a-z]+)\\b`, "gm");
  return [...stdout.matchAll(lines)].map(([, name = ""]) => name);
}
