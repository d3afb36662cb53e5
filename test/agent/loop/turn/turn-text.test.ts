import { describe, expect, test } from "vitest";
import type { Draft } from "../../../../src/agent/loop/turn/draft.ts";
import { createTurnText, type TextOrigin, type TurnText } from "../../../../src/agent/loop/turn/turn-text.ts";

type Told = `${"answer" | "thought" | "draft" | "end"}: ${string}`;

/** Joins what was told of one kind in a row. */
function join(told: readonly Told[]): Told[] {
  const joined: Told[] = [];
  for (const one of told) {
    const last = joined.at(-1);
    const kind = one.slice(0, one.indexOf(" ") + 1);
    if (last?.startsWith(kind)) joined[joined.length - 1] = `${last}${one.slice(kind.length)}` as Told;
    else joined.push(one);
  }
  return joined;
}

interface Opened {
  text: TurnText;
  told: () => Told[];
}

function open(options: { hasMark?: boolean; flowsAtOnce?: boolean } = {}): Opened {
  const told: Told[] = [];
  const draft: Draft = {
    write: (text) => void told.push(`draft: ${text}`),
    end: (kept) => void told.push(`end: ${kept}`),
  };
  const text = createTurnText({
    answer: (piece) => void told.push(`answer: ${piece}`),
    think: (piece) => void told.push(`thought: ${piece}`),
    draft,
    ...options,
  });
  return { text, told: () => join(told) };
}

/** Pushes a text sign by sign. */
function pushSigns({ text }: Opened, said: string, origin?: TextOrigin): void {
  for (const [index, sign] of [...said].entries()) text.push(sign, index === 0 ? origin : undefined);
}

const answered = ({ told }: Opened): string =>
  told()
    .filter((one) => one.startsWith("answer: "))
    .map((one) => one.slice("answer: ".length))
    .join("");

test.each([
  ["200 Latin letters", "x".repeat(200), 0],
  ["201 Latin letters", "x".repeat(201), 201],
  ["80 Chinese characters", "想".repeat(80), 0],
  ["81 Chinese characters", "想".repeat(81), 81],
  ["40 Chinese characters and 100 letters", "想".repeat(40) + "x".repeat(100), 0],
  ["40 Chinese characters and 101 letters", "想".repeat(40) + "x".repeat(101), 141],
])(
  "a thought may have 200 columns before it flows as an answer, a Chinese character counting two and a half: %s",
  (_, said, shown) => {
    const opened = open();
    pushSigns(opened, said);
    expect(answered(opened)).toHaveLength(shown);
  },
);

test("a short text is a draft from its first sign, and then a thought beside tool calls or else the answer", () => {
  const beside = open();
  pushSigns(beside, "I look it up.");
  beside.text.asThought();
  expect(beside.told()).toEqual(["draft: I look it up.", "end: thought", "thought: I look it up."]);
  const alone = open();
  pushSigns(alone, "Forty-two.");
  alone.text.asAnswer();
  expect(alone.told()).toEqual(["draft: Forty-two.", "end: answer", "answer: Forty-two."]);
});

test("a draft that grows too long for a thought ends as the answer, which then flows", () => {
  const opened = open();
  opened.text.push("x".repeat(200));
  opened.text.push("y");
  opened.text.push("z");
  expect(opened.told()).toEqual([`draft: ${"x".repeat(200)}`, "end: answer", `answer: ${"x".repeat(200)}yz`]);
});

test("without tools on offer nothing is held, and there is no draft", () => {
  const opened = open({ flowsAtOnce: true });
  opened.text.push("F");
  expect([opened.told(), opened.text.isFlowing()]).toEqual([["answer: F"], true]);
});

describe("the wire's sign", () => {
  test("makes a final answer flow from its first token", () => {
    const opened = open();
    opened.text.push("F", { phase: "final_answer" });
    expect(opened.told()).toEqual(["end: thought", "answer: F"]);
  });

  test("makes a commentary a thought however long it is, and what follows it the answer", () => {
    const opened = open();
    pushSigns(opened, "c".repeat(500), { phase: "commentary" });
    expect(opened.text.isFlowing()).toBe(false);
    pushSigns(opened, "Done.", { phase: "final_answer" });
    opened.text.asAnswer();
    expect(opened.told().filter((one) => !one.startsWith("end"))).toEqual([
      `thought: ${"c".repeat(500)}`,
      "answer: Done.",
    ]);
  });

  test("does not leave a turn without an answer that calls all it says a commentary", () => {
    const opened = open();
    opened.text.push("Hello.", { phase: "commentary" });
    opened.text.asAnswer();
    expect(answered(opened)).toBe("Hello.");
  });
});

describe("the mark before the answer", () => {
  const said = "I know enough now.\n<answer>\nIt is 42 <b>.\n</answer>\n";

  test.each([1, 3, 7, 100])("is taken out in pieces of %d signs, and what follows it flows", (size) => {
    const opened = open({ hasMark: true });
    for (let at = 0; at < said.length; at += size) opened.text.push(said.slice(at, at + size));
    expect(opened.text.isMarked()).toBe(true);
    opened.text.asAnswer();
    const settled = opened.told().filter((one) => !one.startsWith("draft") && !one.startsWith("end"));
    expect(settled).toEqual(["thought: I know enough now.\n", "answer: It is 42 <b>.\n"]);
  });

  test("lets the first sign of the answer through at once", () => {
    const opened = open({ hasMark: true });
    opened.text.push("<ans");
    opened.text.push("wer>\n");
    opened.text.push("I");
    expect(answered(opened)).toBe("I");
    expect(opened.told().some((one) => one.startsWith("draft"))).toBe(false);
  });

  test("is the text of the answer where it stands in code or within a line", () => {
    const text = "Use `<answer>` so:\n```xml\n<answer>\n42\n</answer>\n```\n";
    const opened = open({ hasMark: true });
    pushSigns(opened, text);
    opened.text.asAnswer();
    expect([answered(opened), opened.text.isMarked()]).toEqual([text, false]);
  });

  test("gives way where a call follows after all", () => {
    const opened = open({ hasMark: true });
    pushSigns(opened, "I look it up.\n<answ");
    opened.text.asThought();
    expect(opened.told().at(-1)).toBe("thought: I look it up.\n<answ");
  });
});

test("text that an earlier process has told is no draft again", () => {
  const opened = open();
  opened.text.push("I look it up.", { isRecorded: true });
  opened.text.asThought();
  expect(opened.told()).toEqual(["end: thought", "thought: I look it up."]);
});
