import { expect, test } from "vitest";
import { createCitationFilter } from "../../../src/agent/citations/citations.ts";
import { createEvidence, getLastClause } from "../../../src/agent/citations/evidence.ts";
import { createMemorySourceList } from "../../../src/store/memory/source-list.ts";

/** Three sources as a run may have read them: two pages and a file. */
const read = [
  { title: "Node.js 26", url: "https://nodejs.org/26", text: "Node.js 26 becomes the LTS release in October 2026." },
  { title: "Node.js 24", url: "https://nodejs.org/24", text: "Node.js 24 is supported until April 2028." },
  {
    title: "notes.md",
    url: "file:///home/ada/notes.md",
    text: "Release 2.4 is planned for 2026-12-04. 预算为 31,088.16 元，负责人是李娜。",
  },
];

async function checkAnswer(answer: string): Promise<{ text: string; cited: string[] }> {
  const sources = createMemorySourceList();
  const numbers = await sources.number(read.map(({ title, url }) => ({ title, url, snippet: "" })));
  const evidence = createEvidence();
  for (const [index, { text }] of read.entries()) evidence.add({ n: numbers[index] ?? 0, text });
  const filter = createCitationFilter(sources, evidence);
  const text = filter.push(answer) + filter.finish();
  return { text, cited: filter.citations().map(({ title }) => title) };
}

test.each([
  // A model once meant the first result of its list, which was the notes, and not the first page.
  [
    "figures that only another source has",
    "Node.js 26 is LTS then, the day release 2.4 is planned for [1].",
    "notes.md",
  ],
  ["the day of another source", "Release 2.4 comes on 2026-12-04 [1].", "notes.md"],
  ["an amount, however it is written", "预算是 31088.16 元 [2]。", "notes.md"],
  ["figures of the cited source", "Node.js 24 is supported until April 2028 [2].", "Node.js 24"],
  ["a figure of both", "Both are from 2026 [1].", "Node.js 26"],
  ["a figure of none, such as a sum", "Together they cost 62,176.32 [1].", "Node.js 26"],
  ["no figure at all", "It is planned [2].", "Node.js 24"],
  ["only a part of the figures", "Release 2.4 takes 499 days [1].", "Node.js 26"],
])("a sentence with %s is cited from the source that shows it", async (_, answer, title) => {
  expect((await checkAnswer(answer)).cited).toEqual([title]);
});

test("each citation is compared with its own part of the text", async () => {
  const { text, cited } = await checkAnswer(
    "LTS comes in October 2026 [1], release 2.4 on the 2026-12-04 [1]. Done [2].",
  );
  expect(text).toBe("LTS comes in October 2026 [1], release 2.4 on the 2026-12-04 [3]. Done [2].");
  expect(cited).toEqual(["Node.js 26", "Node.js 24", "notes.md"]);
});

test.each([
  "It is on 2026-12-04, and costs 31,088.16 [1][3].",
  "It costs 31,088.16. It is on 2026-12-04. [1] [3]",
  "In 2028, then on 2026-12-04 [2], [3].",
  "It is on 2026-12-04 [1] and [2].",
  "2028 年，然后是 2026-12-04[2]、[3]。",
  "先是 2028 年，然后是 2026-12-04[2]和[3]。",
])("citations beside each other share their sentence, and are left as they are: %s", async (answer) => {
  expect((await checkAnswer(answer)).text).toBe(answer);
});

test("figures in the link of a citation are none of the sentence", async () => {
  const sources = createMemorySourceList();
  const evidence = createEvidence();
  const texts = ["The revenue is 5000.", "The report has the number 123456.", "The profit is 7777."];
  for (const [index, text] of texts.entries()) {
    await sources.number([{ title: text, url: `https://a.example/${index}`, snippet: "" }]);
    evidence.add({ n: index + 1, text });
  }
  const filter = createCitationFilter(sources, evidence);
  const answer = "Revenue 5000 [1](https://a.example/r/123456), profit 7777 [2].";
  expect(filter.push(answer) + filter.finish()).toBe("Revenue 5000 [1], profit 7777 [3].");
});

test("several citations in one bracket are left as they are, and a made-up number beside one changes nothing", async () => {
  expect((await checkAnswer("Release 2.4 [1, 2].")).text).toBe("Release 2.4 [1][2].");
  expect((await checkAnswer("Release 2.4 [1][9], so 2.4 [8] [1].")).text).toBe("Release 2.4 [3], so 2.4 [3].");
});

test.each([
  ["The tower is 330 m high, and the bridge is 777 m wide", 1],
  ["塔高 330 米，桥宽 777 米", 1],
  ["The tower is 330 m high [1], and the bridge is 777 m wide", 2],
  ["The tower is 330 m high. The bridge is 777 m wide", 2],
])(
  "a source keeps its citation as far back as its sentence or the citation before has one of its figures: %s",
  (text, n) => {
    const evidence = createEvidence();
    evidence.add({ n: 1, text: "The tower is 330 m high. 塔高 330 米。" });
    evidence.add({ n: 2, text: "The bridge is 777 m wide. 桥宽 777 米。" });
    expect(evidence.findSource(1, text)).toBe(n);
  },
);

test("a source with a longer text than is kept lacks no figure, and what this run has read of it stays", () => {
  const evidence = createEvidence();
  evidence.add({ n: 1, text: "Now it is 777 m wide." });
  evidence.add({ n: 2, text: "It is 330 m high, and 888 m deep." });
  evidence.learn({
    listNumbers: () => new Set([1]),
    listReadings: () => [{ n: 1, text: `It is 330 m high. ${"Nobody knows more. ".repeat(11_000)}` }],
  });
  expect(evidence.findSource(1, "It is 888 m deep")).toBe(1);
  expect(evidence.findSource(2, "It is 777 m wide")).toBe(1);
});

test("a source of which earlier turns have kept no text is read all the same, and lacks no figure; one that they have not read does", () => {
  const evidence = createEvidence();
  evidence.add({ n: 3, text: "It is 888 m deep." });
  expect([1, 2].map(evidence.hasRead)).toEqual([true, true]);
  evidence.learn({ listNumbers: () => new Set([1]), listReadings: () => [] });
  expect([1, 2, 3].map(evidence.hasRead)).toEqual([true, false, true]);
  expect([1, 2].map((number) => evidence.findSource(number, "It is 888 m deep"))).toEqual([1, 3]);
});

test("what was read of a source stays as it is, however many citations are compared with it", () => {
  const evidence = createEvidence();
  evidence.add({ n: 1, text: "Nobody knows. ".repeat(14_285) });
  evidence.add({ n: 2, text: "It is 888 m deep." });
  const found = Array.from({ length: 12 }, () => evidence.findSource(1, "It is 888 m deep"));
  expect(new Set(found)).toEqual(new Set([2]));
});

test.each([
  ["One. Two is 2.4", "Two is 2.4"],
  ["One [1] two", "two"],
  ["In 2026, 1,234.5", "1,234.5"],
  ["今年，二是 2.4", "二是 2.4"],
  ["一。二是 2.4。", "二是 2.4"],
  ["- a\n- b.", "- b"],
])("the last clause of %j is %j", (text, sentence) => {
  expect(getLastClause(text).trim()).toBe(sentence);
});
