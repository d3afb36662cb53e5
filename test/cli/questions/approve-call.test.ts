import { describe, expect, test } from "vitest";
import { createSavedRules } from "../../../src/app/questions/saved-rules.ts";
import { createTerminalUser } from "../../../src/cli/questions/ask-question.ts";
import { pickOne } from "../../../src/cli/questions/pick-one.ts";
import type { PickOptions, Reader } from "../../../src/cli/questions/reader.ts";
import { type Line, toPlainText } from "../../../src/cli/terminal/text/line.ts";
import { temporaryFolder } from "../../fakes/program.ts";

const { signal } = new AbortController();
const call = {
  kind: "call" as const,
  tool: "mail__send",
  arguments: { to: "anna" },
  rule: "tools.ask: *",
  onlyOnce: false,
};

/** Somebody who types these lines, and then nothing more. */
function typing(...lines: string[]): Reader & { written: string[]; left: number } {
  const written: string[] = [];
  const reader = {
    locale: "en" as const,
    written,
    left: 0,
    ask: async (query: string) => {
      written.push(query);
      return lines.shift();
    },
    write: (line: string | Line) => void written.push(toPlainText(line)),
    leave() {
      reader.left += 1;
    },
  };
  return reader;
}

/** Somebody who chooses this label from a list. */
function choosing(label: string | undefined) {
  const shown: { title: string; labels: string[]; chosen: unknown }[] = [];
  const written: string[] = [];
  const reader: Reader = {
    locale: "en",
    ask: async (query) => (query.startsWith("What should") ? "use cc" : expect.unreachable("asked for a line")),
    write: (line) => void written.push(toPlainText(line)),
    async pick<T>({ title, choices, chosen }: PickOptions<T>) {
      shown.push({ title, labels: choices.map((choice) => choice.label), chosen });
      return choices.find((choice) => choice.label === label)?.value;
    },
  };
  return { reader, shown, written };
}

test("the tool, its server, the rule and the whole arguments are shown, whatever hides in them", async () => {
  const { reader, written } = choosing(undefined);
  const args = { path: "rm\u202etxt", note: "\u001b[2J", site: "p\u0430ypal" };
  await createTerminalUser({ ...reader, showsEvents: false }).ask(
    { ...call, tool: "mail__s\u0435nd", arguments: args },
    signal,
  );
  expect(written[0]).toBe("🔐 needs consent · mail__s\u0435nd(U+0435) · rule tools.ask: * · server mail");
  expect(written[1]).toContain(String.raw`"path": "rm\u202etxt"`);
  expect(written[1]).toContain(String.raw`"note": "\u001b[2J"`);
  expect(written[1]).toContain('"site": "p\u0430ypal(U+0430)"');
});

test("another agent is named as one, and a server that is named like one stays a server", async () => {
  const { reader, written } = choosing(undefined);
  const { ask } = createTerminalUser({ ...reader, showsEvents: false });
  await ask({ ...call, tool: "agent_codex__edit", rule: "agents.codex" }, signal);
  expect(written[0]).toBe("🔐 needs consent · agent_codex__edit · rule agents.codex · agent codex");
  written.length = 0;
  await ask({ ...call, tool: "agent_codex__edit" }, signal);
  expect(written[0]).toMatch(/ · server agent_codex$/);
});

test("a tool of nobody's server has none", async () => {
  const { reader, written } = choosing(undefined);
  await createTerminalUser({ ...reader, showsEvents: false }).ask({ ...call, tool: "write_file" }, signal);
  expect(written[0]).toBe("🔐 needs consent · write_file · rule tools.ask: *");
});

test("a list offers once, always, no and never, none of them chosen beforehand; leaving it is a no", async () => {
  const labels = [
    "Yes, once",
    "Yes, always in this conversation",
    "No",
    "No, and say what to do instead",
    "Never in this conversation",
  ];
  const answers = await Promise.all(
    [...labels, undefined].map(async (label) => {
      const { reader, shown } = choosing(label);
      const answer = await createTerminalUser({ ...reader, showsEvents: false }).ask(call, signal);
      expect(shown).toEqual([{ title: "Let mail__send run?", labels, chosen: undefined }]);
      return answer;
    }),
  );
  expect(answers).toEqual(["once", "conversation", "no", { instead: "use cc" }, "never", "no"]);
  const { reader, shown } = choosing(undefined);
  await createTerminalUser({ ...reader, showsEvents: false }).ask({ ...call, onlyOnce: true }, signal);
  expect(shown[0]?.labels).toEqual([labels[0], labels[2], labels[3], labels[4]]);
});

test.each([
  [["y"], "once"],
  [["好"], "once"],
  [["a"], "conversation"],
  [["n"], "no"],
  [["never"], "never"],
  [["i", " use cc "], { instead: "use cc" }],
  [["instead", ""], "no"],
  [["", "1", "perhaps", "NEVER "], "never"],
  [[], "no"],
])("typed %j means %s", async (lines, answer) => {
  const reader = typing(...lines);
  expect(await createTerminalUser({ ...reader, showsEvents: false }).ask(call, signal)).toEqual(answer);
  expect(reader.written).toContain("Let mail__send run? [y once/a in this conversation/n no/i say what instead] ");
});

describe("where the arguments could not be shown whole", () => {
  const long = { ...call, arguments: { list: Array.from({ length: 5000 }, (_, index) => index) } };

  test("a list offers no always, and says why", async () => {
    const { reader, shown } = choosing("Yes, always in this conversation");
    expect(await createTerminalUser({ ...reader, showsEvents: false }).ask(long, signal)).toBe("no");
    expect(shown).toEqual([
      {
        title: "Let mail__send run? Not all arguments are shown, so a yes applies to this call only.",
        labels: [
          "Yes, once",
          "No",
          "No, and say what to do instead",
          "Never in this conversation",
          "Show all of it first",
        ],
        chosen: undefined,
      },
    ]);
  });

  test.each([
    [
      "en",
      "Let mail__send run? Not all arguments are shown, so a yes applies to this call only. [y once/n no/i say what instead/v view all] ",
    ],
    ["zh", "允许执行 mail__send？参数没有全部显示，只能允许这一次。[y 这一次/n 不/i 说明该怎么做/v 先看全部] "],
  ] as const)("a typed always is not taken, in %s", async (locale, question) => {
    const reader = typing("a", "y");
    expect(await createTerminalUser({ ...reader, locale, showsEvents: false }).ask(long, signal)).toBe("once");
    expect(reader.written.filter((line) => line === question)).toHaveLength(2);
  });
});

test("always is not taken of a call that is asked about each time, and /exit leaves with a no", async () => {
  const reader = typing("a", "/exit");
  expect(await createTerminalUser({ ...reader, showsEvents: false }).ask({ ...call, onlyOnce: true }, signal)).toBe(
    "no",
  );
  expect(reader.written).toContain(
    "Type y, n, i or never, which refuses for the rest of this conversation; /exit declines and exits.",
  );
  expect(reader.left).toBe(1);
});

test("where lines are typed, a choice is a number, a word or its name, and an Enter keeps what is in force", async () => {
  const picking = {
    title: "Which\u001b[2J?",
    choices: [
      { value: 1, label: "One", words: ["eins"] },
      { value: 2, label: "Two", detail: "the second" },
    ],
    chosen: 2,
  };
  const reader = typing("3", "2");
  expect(await pickOne(reader, picking, signal)).toBe(2);
  expect(reader.written).toEqual([
    "Which\\u{1b}[2J?",
    "   1  One",
    "   2  Two · the second · current",
    "1-2> ",
    "Type a number from 1 to 2, or press Enter to keep the current one.",
    "1-2> ",
  ]);
  expect(await pickOne(typing("eins"), picking, signal)).toBe(1);
  expect(await pickOne(typing("ONE"), picking, signal)).toBe(1);
  expect(await pickOne(typing(""), picking, signal)).toBe(2);
  expect(await pickOne(typing(""), { ...picking, chosen: undefined }, signal)).toBeUndefined();
  expect(await pickOne(typing(), picking, signal)).toBeUndefined();
});

describe("with rules that are saved", () => {
  async function openConsent() {
    const home = await temporaryFolder();
    const saved = createSavedRules(home, "/w");
    return { consent: { saved, readCurrent: async () => undefined }, saved };
  }

  test("always shows the rule, counts for this call, and the next such call is allowed without a question", async () => {
    const { consent, saved } = await openConsent();
    const first = choosing("Yes, always (saves the rule)");
    expect(await createTerminalUser({ ...first.reader, showsEvents: false, consent }).ask(call, signal)).toBe("once");
    expect(first.written).toContain('"Always" would save this rule: mail__send(to="anna")');
    expect(await saved.list()).toHaveLength(1);
    const next = choosing(undefined);
    const user = createTerminalUser({ ...next.reader, showsEvents: false, consent });
    expect(await user.ask(call, signal)).toBe("once");
    expect(next.written).toEqual(['🔐 mail__send: allowed by the saved rule mail__send(to="anna")']);
    expect(await user.ask({ ...call, arguments: { to: "bob" } }, signal)).toBe("no");
    expect(await user.ask({ ...call, onlyOnce: true }, signal)).toBe("no");
    expect(next.shown).toHaveLength(2);
  });

  test("always is not offered for a call of which not all was shown, until all of it is", async () => {
    const { saved } = await openConsent();
    const consent = { saved, readCurrent: async (path: string) => ({ path, text: undefined }) };
    const reader = typing("s", "v", "s", "y");
    const text = Array.from({ length: 400 }, (_, index) => `row ${index}`).join("\n");
    const request = { ...call, tool: "fs__write_file", arguments: { path: "/w/a", content: text } };
    expect(await createTerminalUser({ ...reader, showsEvents: false, consent }).ask(request, signal)).toBe("once");
    const queries = reader.written.filter((line) => line.startsWith("Let fs__write_file run?"));
    expect(queries.map((query) => query.includes("/s always"))).toEqual([false, false, true]);
    expect(reader.written.filter((line) => line.endsWith(" row 250"))).toHaveLength(1);
  });
});
