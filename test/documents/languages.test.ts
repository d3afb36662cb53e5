import { describe, expect, test } from "vitest";
import { type CommandRow, listOptions } from "../../bin/commands/command.ts";
import { commandTable } from "../../bin/commands/command-table.ts";
import { type Block, readBlocks, taggedDocuments } from "./blocks.ts";
import { documents, readDocument, withoutFences } from "./pages.ts";
import { readConsole } from "./shell-words.ts";

const pairs = taggedDocuments
  .filter((file) => file.endsWith(".zh.md"))
  .map((chinese) => ({ chinese, english: chinese.replace(".zh.md", ".md") }));

test.each(pairs)("$chinese has the headings and the code of $english", ({ chinese, english }) => {
  expect(readLevels(chinese)).toEqual(readLevels(english));
  const [ofEnglish, ofChinese] = [readBlocks(english), readBlocks(chinese)];
  expect(ofChinese.map(toHead)).toEqual(ofEnglish.map(toHead));
  const problems = ofEnglish.flatMap((block, index) => {
    const other = ofChinese[index];
    return other ? (findCodeDifference(block, other) ?? []) : [];
  });
  expect(problems).toEqual([]);
});

describe("code in two languages", () => {
  function compare(english: string, chinese: string, language = "sh"): string | undefined {
    const block = { line: 1, language, tag: { way: "parsed" } as const };
    return findCodeDifference({ ...block, file: "a.md", text: english }, { ...block, file: "a.zh.md", text: chinese });
  }

  test("may differ in comments and in strings that people read", () => {
    expect(compare('duet ask "hi" # asks\n', 'duet ask "你好" # 提问\n')).toBeUndefined();
    expect(compare('{ "a": "b" } // c\n', '{ "a": "乙" } // 丙\n', "jsonc")).toBeUndefined();
    expect(compare("$ duet models\nnone\n", "$ duet models\n没有\n", "console")).toBeUndefined();
  });

  test("may not differ in commands, names and values", () => {
    const problem = "a.zh.md:1 differs from a.md:1";
    expect(compare('duet ask "hi"\n', 'duet ask --mode chat "你好"\n')).toContain(problem);
    expect(compare('{ "url": "a" }\n', '{ "url": "b" }\n', "json")).toContain(problem);
    expect(compare("$ duet models\nnone\n", "$ duet doctor\n没有\n", "console")).toContain(problem);
    expect(compare("duet\nduet models\n", "duet\n")).toContain(problem);
  });
});

test("every command that a page names in its text is one of Duet's", () => {
  const named = documents.flatMap((file) => readNamedCommands(file).map((command) => ({ file, command })));
  expect(named.length).toBeGreaterThan(300);
  const problems = named.flatMap(({ file, command }) => {
    const problem = findNameProblem(command.split(/\s+/).slice(1));
    return problem === undefined ? [] : [`${file}: \`${command}\`: ${problem}`];
  });
  expect([...new Set(problems)]).toEqual([]);
});

test("a command or a flag that there is not is found", () => {
  expect(findNameProblem(["tools", "aprove"])).toBe("there is no command aprove");
  expect(findNameProblem(["serve", "--htpp", "3000"])).toBe("there is no flag --htpp");
  expect(findNameProblem(["config", "init", "-y"])).toBe("there is no flag -y");
  expect(findNameProblem(["install", "HOST", "--dry-run"])).toBeUndefined();
});

function readLevels(file: string): number[] {
  return [...withoutFences(readDocument(file)).matchAll(/^(#{1,6}) /gm)].map(([, signs = ""]) => signs.length);
}

function toHead({ language, tag }: Block) {
  return { language, ...tag };
}

/** What is written for people: in English beside the code, in Chinese as a whole. */
const chinese = /\p{Script=Han}/u;

/** Says where the code of two pages differs; undefined where only comments do, and texts that people read. */
function findCodeDifference(english: Block, other: Block): string | undefined {
  const [lines, others] = [toLines(english), toLines(other)];
  const place = `${other.file}:${other.line} differs from ${english.file}:${english.line}`;
  if (lines.length !== others.length) return `${place}: ${others.length} lines in place of ${lines.length}`;
  const isShown = english.language === "console" && readConsole(english.text).length === 0;
  const isText = isShown || english.language === "text" || english.language === "markdown";
  const at = lines.findIndex((line, index) => !isSameLine(line, others[index] ?? "", isText));
  return at < 0 ? undefined : `${place}: ${lines[at]} / ${others[at]}`;
}

/** The lines of code without comments; of a console what is typed. */
function toLines({ language, text }: Block): string[] {
  const typed = readConsole(text).map(({ line }) => line);
  const code = language === "console" && typed.length > 0 ? typed.join("\n") : text;
  const sign = /^(?:sh|console|python|toml|yaml)$/.test(language) ? "#" : "//";
  const comment = new RegExp(`(?<=^|\\s)${sign} .*$`, "gm");
  return (language === "text" ? code : code.replaceAll(comment, "")).split("\n").map((line) => line.trimEnd());
}

const quoted = /"(?:\\.|[^"\\])*"/g;

function isSameLine(english: string, other: string, isText: boolean): boolean {
  if (english === other || (isText && chinese.test(other))) return true;
  const isTyped = !/["{]/.test(english) && chinese.test(other);
  const [strings, others] = [english.match(quoted) ?? [], other.match(quoted) ?? []];
  const areSame = strings.every((text, index) => text === others[index] || chinese.test(others[index] ?? ""));
  const plain = (line: string): string => line.replaceAll(quoted, '""').replaceAll(/ {2,}/g, " ");
  return isTyped || (areSame && plain(english) === plain(other));
}

/** The commands in a document's text: code that begins with `duet`. */
function readNamedCommands(file: string): string[] {
  const spans = withoutFences(readDocument(file)).matchAll(/(?<!`)`(duet(?: [^`\n]+)?)`(?!`)/g);
  return [...spans].map(([, command = ""]) => command);
}

/** Says which word of a command is none; what stands for something else (`HOST`, `…`) is left alone. */
function findNameProblem(words: readonly string[]): string | undefined {
  let row: Pick<CommandRow, "commands" | "options" | "positionals"> | undefined = { commands: commandTable };
  let rest = words;
  while (row?.commands && /^[a-z]+$/.test(rest[0] ?? "")) {
    const found: CommandRow | undefined = row.commands.find(({ name }) => name === rest[0]);
    if (found === undefined) return `there is no command ${rest[0]}`;
    row = found;
    rest = rest.slice(1);
  }
  const rows = row?.commands ? [...row.commands.filter(({ isDefault }) => isDefault)] : [row ?? {}];
  const options = rows.flatMap((each) => Object.entries(listOptions(each)));
  const known = new Set(["--help", "-h", "--version", "-v"]);
  for (const [name, { alias }] of options) known.add(`--${name}`).add(`-${alias}`);
  const flags = rest.slice(0, rest.includes("--") ? rest.indexOf("--") : undefined);
  const unknown = flags.map((word) => /^-{1,2}[a-z][\w-]*/.exec(word)?.[0]).find((flag) => flag && !known.has(flag));
  return unknown && `there is no flag ${unknown}`;
}
