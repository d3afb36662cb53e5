import fc from "fast-check";
import { expect, test } from "vitest";
import { createCitationFilter, renderReferences } from "../../../src/agent/citations/citations.ts";
import type { SourceList } from "../../../src/core/store/conversations/conversation.ts";
import { createMemorySourceList } from "../../../src/store/memory/source-list.ts";

function threeSources(): SourceList {
  const list = createMemorySourceList();
  for (const name of ["a", "b", "c"])
    void list.number([{ title: name.toUpperCase(), url: `https://${name}.example`, snippet: "" }]);
  return list;
}

function filter(text: string, sources = threeSources(), pieces = [text]): { text: string; cited: string[] } {
  const citations = createCitationFilter(sources);
  const shown = pieces.map((piece) => citations.push(piece)).join("") + citations.finish();
  return { text: shown, cited: citations.citations().map(({ n, url }) => `${n} ${url}`) };
}

const [a, b, c] = ["https://a.example", "https://b.example", "https://c.example"];

test.each([
  ["the numbers are those of the conversation", "x [3] y [1] z [3].", "x [3] y [1] z [3].", [`1 ${a}`, `3 ${c}`]],
  ["a number that points nowhere is taken out", "x [9] y [2].", "x y [2].", [`2 ${b}`]],
  [
    "so is one beside a good one, and the space stays with that",
    "x [9][2][8]. y [2] [8].",
    "x [2]. y [2].",
    [`2 ${b}`],
  ],
  ["side by side", "x[1][2][3].", "x[1][2][3].", [`1 ${a}`, `2 ${b}`, `3 ${c}`]],
  ["at the very end", "x [2].", "x [2].", [`2 ${b}`]],
  ["as the last character", "x[2]", "x[2]", [`2 ${b}`]],
  ["several in one bracket become one each", "x [1, 3].", "x [1][3].", [`1 ${a}`, `3 ${c}`]],
  [
    "a range of sources becomes one each",
    "x [1-3]. y [2–3].",
    "x [1][2][3]. y [2][3].",
    [`1 ${a}`, `2 ${b}`, `3 ${c}`],
  ],
  ["a range that goes further than the sources stays", "pages [1-9] and [1–400]", "pages [1-9] and [1–400]", []],
  ["a range mixed with numbers", "x [3, 1~2].", "x [3][1][2].", [`1 ${a}`, `2 ${b}`, `3 ${c}`]],
  ["full-width brackets count", "x【2】。", "x[2]。", [`2 ${b}`]],
  ["and full-width square ones and digits", "甲［２］乙[１]。", "甲[2]乙[1]。", [`1 ${a}`, `2 ${b}`]],
  ["a reader's mark beside the number goes", "x【2†L3-L9】.", "x[2].", [`2 ${b}`]],
  ["a footnote on a source is a citation", "x[^2].", "x[2].", [`2 ${b}`]],
  ["a footnote on none is the text's own", "x[^9].\n\n[^9]: Mine.", "x[^9].\n\n[^9]: Mine.", []],
  ["two brackets are one", "x [[2]].", "x [2].", [`2 ${b}`]],
  [
    "a link to the source itself is a citation",
    `x [2](${b}/) and [[3]](${c}).`,
    "x [2] and [3].",
    [`2 ${b}`, `3 ${c}`],
  ],
  ["a colon behind it makes no difference", "见[2]: 它说", "见[2]: 它说", [`2 ${b}`]],
  ["in lists and tables", "- x [2]\n1. y [1]\n| z [2] |", "- x [2]\n1. y [1]\n| z [2] |", [`1 ${a}`, `2 ${b}`]],
  ["a remark in brackets behind it is no link", "x [2](2024).", "x [2](2024).", [`2 ${b}`]],
  ["another link to its host is one", `x [2](${b}/?utm=1#top).`, "x [2].", [`2 ${b}`]],
  [
    "a vendor's word before the number goes",
    "x [citation:2][来源3]〔1〕.",
    "x [2][3][1].",
    [`1 ${a}`, `2 ${b}`, `3 ${c}`],
  ],
  ["other words do not", "x [cite 1] [citation] [来源国]", "x [cite 1] [citation] [来源国]", []],
  ["an interval and a value stay", "$[1, 2]$ and x = [1] and x ∈ [1, 3]", "$[1, 2]$ and x = [1] and x ∈ [1, 3]", []],
  ["a list of data stays", "mean of [1,2,3,4,5] is 3", "mean of [1,2,3,4,5] is 3", []],
  ["a year stays", "x [2024] y", "x [2024] y", []],
  ["an image stays", "![1](https://x.example/1.png)", "![1](https://x.example/1.png)", []],
  [
    "values behind keys of JSON stay",
    '{"the number of pages read": [1], \'it\': [2]}\n  "c" : [3]',
    '{"the number of pages read": [1], \'it\': [2]}\n  "c" : [3]',
    [],
  ],
  [
    "quotes with a colon do not make a key of JSON",
    "He called it \"fake\": [1] and [9]. They say 'so': [2].",
    "He called it \"fake\": [1]. They say 'so': [2].",
    [`1 ${a}`, `2 ${b}`],
  ],
  ["an exclamation does not make an image", "Good![2]", "Good![2]", [`2 ${b}`]],
  ["what is escaped stays", "\\[1\\] and \\`[2]\\`", "\\[1\\] and \\`[2]\\`", [`2 ${b}`]],
  ["a query in an address stays", "https://x.example/?a[9]=1", "https://x.example/?a[9]=1", []],
  ["inline code stays", "use `a[1]` here [2]", "use `a[1]` here [2]", [`2 ${b}`]],
  ["inline code in two backticks stays", "use ``a`[1]`` here", "use ``a`[1]`` here", []],
  ["a single backtick is no code", "the ` sign [2]\nand [1]", "the ` sign [2]\nand [1]", [`1 ${a}`, `2 ${b}`]],
  ["a code block stays", "```js\na[1]\n```\nx [1]", "```js\na[1]\n```\nx [1]", [`1 ${a}`]],
  [
    "so does one in a list, and one of tildes",
    "- ```\n  a[1]\n  ```\n~~~\n[1]\n~~~",
    "- ```\n  a[1]\n  ```\n~~~\n[1]\n~~~",
    [],
  ],
  [
    "a longer fence holds a shorter one",
    "````\n```\na[2]\n```\n````\n[2]",
    "````\n```\na[2]\n```\n````\n[2]",
    [`2 ${b}`],
  ],
  [
    "three backticks within a line are no block",
    "```a[1]``` x [2]\ny [1]",
    "```a[1]``` x [2]\ny [1]",
    [`1 ${a}`, `2 ${b}`],
  ],
  ["a Markdown link stays", "[one](https://x.example)", "[one](https://x.example)", []],
  ["an open bracket at the end stays", "x [1", "x [1", []],
  ["words in brackets stay", "x [sic] [todo 1] [ ] [x]", "x [sic] [todo 1] [ ] [x]", []],
])("%s", (_, given, shown, cited) => {
  expect(filter(given)).toEqual({ text: shown, cited });
});

const listValues = [
  'The sorted list is [1, 2, 3]; the mean of [1, 2, 3] is 2. As JSON: {"sorted":[1,2,3]}.',
  '{"sorted": [1, 2, 3], "n": [1,2], "m": [[1, 2], [3, 1]], "one": [1]}',
  "[1, 2, 3]",
  "The first:\n\n[1, 2]\n\n1. [2, 3]\n2. [1, 3]\n- [1, 2]\n",
  "结果为 [1,2]。排序后是[1,2,3]。区间[1,3]，坐标 [2, 3]；见第[1-3]页。位于【1,3】。",
  "the interval [1, 3], coordinates [2, 3], print([1,2,3]), seats [1-3], pages [2–3], the pairs [1, 2] and [2, 3].",
  "The matrix [[1,2],[3,1]]. The vectors [1, 2] [3, 1]. f(x, [1, 2]). Sorted: [1, 2, 3].",
  "Take grid[1, 2]. The numbers drew [1, 2] first. They rolled a double [2, 2].",
  "| interval | [1, 3] |\n**[1, 2]** and x \\in [1, 3]",
  "Sort turns [3, 1, 2] into order. The [1, 2] case. Given nums [1, 3] the interval [1, 2] holds, when [2, 3] is one.",
  "Its width[1, 2] is set, item_1 [1, 2] and maxItems [1, 3] hold; x [1, 2] y; see: [1, 2] so. Sizes [1, 2] × 3.",
  "将[1,2]合并后，得到[1,2]这一组；若[1,3]成立，坐标[1,2]就是解。Return [1, 2] and [2, 3], or the pair [1, 2], [9].",
];

test.each(listValues)("a list of values stays as it is, and cites nothing: %s", (given) => {
  expect(filter(given)).toEqual({ text: given, cited: [] });
  expect(filter(given, threeSources(), [...given])).toEqual({ text: given, cited: [] });
});

test.each([
  ["As both say [1, 2]. 两者一致[1,2]。都这样说【1,2】", "As both say [1][2]. 两者一致[1][2]。都这样说[1][2]"],
  ["It is so. [1, 2]\nThey say (both of them [1, 2]) so.", "It is so. [1][2]\nThey say (both of them [1][2]) so."],
  ["It is **tall** [1, 2], 330% [2, 3]; “high” [1-3]!", "It is **tall** [1][2], 330% [2][3]; “high” [1][2][3]!"],
  ["| 330 m [1, 2] | **both agree [1, 2]** |", "| 330 m [1][2] | **both agree [1][2]** |"],
  ["It is so [1] [2, 3]. It is so [1, 2] and [3].", "It is so [1] [2][3]. It is so [1][2] and [3]."],
  ["Some say [citation:1,2] that it is; it lies in [1, 3] [2].", "Some say [1][2] that it is; it lies in [1, 3] [2]."],
  ["Its doors[1] and its width[1, 2].", "Its doors[1] and its width[1][2]."],
])("several numbers in one bracket are a citation at the end of a clause: %s", (given, shown) => {
  for (let at = 0; at < given.length; at++)
    expect(filter(given, undefined, [given.slice(0, at), given.slice(at)]).text).toBe(shown);
});

test.each([
  [
    "Studies [1, 2] show growth. Prices rose 【1,2】 because.",
    "Studies [1][2] show growth. Prices rose [1][2] because.",
  ],
  [
    "研究[1,2]表明，涨价[1-3]的原因有三，调查 [1,2]（共两次）",
    "研究[1][2]表明，涨价[1][2][3]的原因有三，调查 [1][2]（共两次）",
  ],
  ["Des études [1, 2] montrent qu’un été [1-3] chaud.", "Des études [1][2] montrent qu’un été [1][2][3] chaud."],
  ["See [2, 3] and [1] for more, or see [1] and [2, 3] so.", "See [2][3] and [1] for more, or see [1] and [2][3] so."],
  ["Both agree [1, 9] on that, and so do [2, 3] and [1, 9].", "Both agree [1, 9] on that, and so do [2][3] and [1]."],
])("several numbers in one bracket are a citation within a clause where all have a source: %s", (given, shown) => {
  for (let at = 0; at < given.length; at++)
    expect(filter(given, undefined, [given.slice(0, at), given.slice(at)]).text).toBe(shown);
});

test("a number with a source that is joined to a list of values is a citation", () => {
  const given = "They return [1, 2] and [3] as they are.";
  expect(filter(given)).toEqual({ text: given, cited: [`3 ${c}`] });
});

test.each([
  ["Both files agree on this [1, 9]. They do [9, 1].", "Both files agree on this [1]. They do [1]."],
  ["It is so [2–9]. 两者一致[1,9]。都这样说【9,2】", "It is so [2][3]. 两者一致[1]。都这样说[2]"],
  ["They say [1][9, 2] and [7]. Some say [citation:1,9] so.", "They say [1][2]. Some say [1] so."],
])("of several numbers in one bracket those with a source stay: %s", (given, shown) => {
  for (let at = 0; at < given.length; at++)
    expect(filter(given, undefined, [given.slice(0, at), given.slice(at)]).text).toBe(shown);
});

test.each(["Both agree [7, 8].", "A chance has bounds [0, 1].", "Both agree [1, 9] on that.", "The list is [1, 9]."])(
  "a bracket that holds no source, or values, stays whole: %s",
  (given) => expect(filter(given)).toEqual({ text: given, cited: [] }),
);

const lists: [string, string, string[]][] = [
  ["under a heading", "x [2].\n\n## 参考文献\n\n- [2] B https://b.example\n", [`2 ${b}`]],
  ["after a rule", "x [2].\n\n---\n**References:**\n[2] B, https://b.example", [`2 ${b}`]],
  ["numbered anew, told by its addresses", "x [2].\n\nSources\n1. B (https://b.example/)", [`2 ${b}`]],
  ["of links", "x [2].\n\n### 来源：\n* [Title](https://b.example)", [`2 ${b}`]],
  [
    "over several lines",
    "x [2].\n\nReferences\n[2] B\nhttps://b.example\n\n[9] Made up\nhttps://no.example",
    [`2 ${b}`],
  ],
  ["of Markdown's definitions", "x [2].\n\n[2]: https://b.example\n[^1]: A https://a.example", [`1 ${a}`, `2 ${b}`]],
  ["on one line", "x [2].\n\n来源：[2]、[3]，https://b.example\n", [`2 ${b}`, `3 ${c}`]],
  ["on one line, in English", "x [2].\n\n**Sources:** [2] and [9].", [`2 ${b}`]],
  ["with full-width colons", "x [2].\n\n[2]：B https://b.example", [`2 ${b}`]],
  ["with a source that the text does not cite", "x [2].\n\n参考资料\n[3] C\n[2] B", [`2 ${b}`, `3 ${c}`]],
];

test.each(lists)("a list of references of the model's own is taken out: %s", (_, given, cited) => {
  expect(filter(given)).toEqual({ text: "x [2].", cited });
});

test.each([
  ["in the middle", "来源\n- [2] B\n\n以上是来源 [1]。", "来源\n- [2] B\n\n以上是来源 [1]。"],
  [
    "that says more",
    "Sources\n- [2] B\n- The river rises in the hills.",
    "Sources\n- [2] B\n- The river rises in the hills.",
  ],
  ["on one line that says more", "来源：[2] 说河流发源于山地", "来源：[2] 说河流发源于山地"],
  ["of one line each under its paragraph", "一\n来源：[2]\n二\n来源：[1]\n三", "一\n来源：[2]\n二\n来源：[1]\n三"],
  ["whose entries say much", `Sources\n[2] ${"It says. ".repeat(50)}`, `Sources\n[2] ${"It says. ".repeat(50)}`],
  ["without any entry", "x\n\n## 来源\n", "x\n\n## 来源\n"],
  ["that is no heading of references", "## 来源国\n- [2] B", "## 来源国\n- [2] B"],
])("a list %s stays", (_, given, shown) => {
  expect(filter(given).text).toBe(shown);
});

test("without any source nothing is a list of references", () => {
  const text = "x\n\nReferences\n[1] Knuth\n";
  expect(filter(text, createMemorySourceList()).text).toBe("x\n\nReferences\n[1] Knuth\n");
});

test.each([
  ["x [1].", "x."],
  ["答案[1]。", "答案。"],
  ["The mean of [5] is 5.", "The mean of [5] is 5."],
  ["array[0] and list[2].", "array[0] and list[2]."],
  ["x [0].", "x [0]."],
])("without any source only what stands where a citation would is taken out: %s", (given, shown) => {
  expect(filter(given, createMemorySourceList())).toEqual({ text: shown, cited: [] });
});

test.each([
  ["array[9] but not this [9].", "array[9] but not this."],
  ["users[9].name, scores[9] = 1, then a[9], maxItems[9] and item_1[9].", undefined],
  [
    "It has doors[2]. There are 777[9]. Its width[8]; built in 1889[9]\n",
    "It has doors[2]. There are 777. Its width; built in 1889\n",
  ],
  ["It has doors[2] and windows[9] of glass.", undefined],
  ["It reads argv[9].", undefined],
  ["See users[9]. Use items[7]: it is the last.", undefined],
  ["As RFC 9110[15], section 8 says.", undefined],
  ["Node 24[1] is out; args[5] holds the name.", undefined],
])(
  "right behind a Latin word a number goes only at the end of a clause, and behind a citation of that form: %s",
  (given, shown = given) => {
    for (let at = 0; at < given.length; at++)
      expect(filter(given, undefined, [given.slice(0, at), given.slice(at)]).text).toBe(shown);
  },
);

test("what is shown does not depend on how the text was split", () => {
  const piece = fc.constantFrom(
    ..."[1] [2,3] [7] [1-3] , and or 和 、 【3】 【1†x】 [^1] [[2]] [ ] ` `` ``` ~~~ ( ) x 文 \\ ! - : --- \n \n\n \r\n".split(
      " ",
    ),
    " ",
    "\n",
    "[0]",
    "[1](u)",
    "[1](https://a.example)",
    "[1]: https://a.example",
    "[citation:1]",
    "[1,9]",
    '"a":',
    "is",
    "say",
    "(",
    "|",
    "**",
    "来源",
    "：",
    "$[1]",
    "\n参考文献\n",
    "\nSources:\n",
    "- [2] B https://b.example\n",
    "https://c.example",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(200), { maxLength: 12 }), (parts, cuts) => {
      const text = parts.join("");
      const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
      const pieces = [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
      expect(filter(text, threeSources(), pieces)).toEqual(filter(text));
      expect(filter(text, threeSources(), [...text])).toEqual(filter(text));
    }),
    { numRuns: 1000 },
  );
});

test("text without citations passes through unchanged and nothing is held back for long", () => {
  const citations = createCitationFilter(threeSources());
  const text = `[${"1 ".repeat(40)}.`;
  expect(citations.push(text)).toBe(text);
});

test("a line of code that is nearly all blanks passes at once", () => {
  const code = `\`\`\`\n${" ".repeat(300_000)}x[9]\n\`\`\`\n`;
  expect(filter(`${code}y [2].`).text).toBe(`${code}y [2].`);
});

test("the list of references names each source once, safely, in the reader's language", () => {
  const cited = [{ n: 1, title: "A", url: "https://a.example" }];
  expect(renderReferences(cited, "zh")).toBe("\n\n参考文献\n\n- [1] A https://a.example");
  expect(renderReferences(cited, "en")).toContain("References");
  expect(renderReferences([], "zh")).toBe("");
});

test.each([
  "The list without duplicates is [7].",
  "排序后的列表是 [5]。",
  "Use index [2], then [4].",
  "[7]",
  "The result: [3].",
])("a number in brackets that is a value stays: %s", (text) => {
  expect(filter(text, createMemorySourceList()).text).toBe(text);
  expect(filter(text, createMemorySourceList(), [...text]).text).toBe(text);
});

test("a citation that no search stands behind is taken out all the same", () => {
  expect(filter("The capital is Paris [1].", createMemorySourceList()).text).toBe("The capital is Paris.");
  expect(filter("首都是巴黎[1]。", createMemorySourceList()).text).toBe("首都是巴黎。");
});

test("a link to a page that was never fetched keeps its address and gets no number", () => {
  expect(filter("See [1](https://evil.example/x) here.").text).toBe("See (https://evil.example/x) here.");
  expect(filter("See [1](#note) here.").text).toBe("See [1](#note) here.");
});

const documents = new Set([1, 2]);

function filterWithDocuments(
  text: string,
  { own = true, numbers = documents } = {},
): { text: string; cited: string[] } {
  const sources = createMemorySourceList({ after: Math.max(0, ...numbers) });
  if (own)
    for (const name of ["a", "b"]) void sources.number([{ title: name, url: `https://${name}.example`, snippet: "" }]);
  const citations = createCitationFilter(sources, undefined, numbers);
  const shown = citations.push(text) + citations.finish();
  return { text: shown, cited: citations.citations().map(({ n, url }) => `${n} ${url}`) };
}

test.each([
  [
    "are kept beside ours, which are behind them",
    "x [2] y [4] z [1] w [3].",
    "x [2] y [4] z [1] w [3].",
    [`3 ${a}`, `4 ${b}`],
  ],
  ["share a bracket with ours", "x [1, 4].", "x [1][4].", [`4 ${b}`]],
  ["keep their links and footnotes", "[1](https://d.example) x[^2].", "[1](https://d.example) x[^2].", []],
  ["do not save a number that nothing has", "x [9] y [1].", "x y [1].", []],
  ["leave a list of references to ours", "x [4].\n\nSources\n- [4] b https://b.example", "x [4].", [`4 ${b}`]],
])("numbers of the asker's documents %s", (_, given, shown, cited) => {
  expect(filterWithDocuments(given)).toEqual({ text: shown, cited });
});

test("while nothing is fetched for an asker that may bring documents, all brackets are its own", () => {
  const given = "x [1], [3]. y [7][8], [1][9]. So they say [1, 9]. Nothing is known of [9].";
  expect(filterWithDocuments(given, { own: false }).text).toBe(given);
  expect(filterWithDocuments(given, { own: false, numbers: new Set() }).text).toBe(given);
});

test.each([
  ["Nobody knows it [9]. So they say [9], and hope [8] [9]; well.", "Nobody knows it. So they say, and hope; well."],
  ["Nobody knows it [9] .", "Nobody knows it ."],
  ["无人知晓 [9]。", "无人知晓。"],
  ["Nothing is known of [9].", "Nothing is known of [9]."],
])("a citation that is taken out leaves no blank before the mark behind it: %s", (given, shown) => {
  for (let at = 0; at < given.length; at++)
    expect(filter(given, undefined, [given.slice(0, at), given.slice(at)]).text).toBe(shown);
});

test.each([
  ["See [9] and [10] for more.", "See for more."],
  ["x [1]; [9]; [2]. y [9]; [8], so. 甲[1]；[9]；[2]。", "x [1]; [2]. y, so. 甲[1]；[2]。"],
  ["x [1]; and [9]; for y [9]; [3]: z.", "x [1]; for y [3]: z."],
  ["It is so [9], [10] and [8]. 无人知晓[9]和[10]。", "It is so. 无人知晓。"],
  ["It is so [1] and [9]. It is so [9], [2] or [8], [3].", "It is so [1]. It is so [2], [3]."],
  ["Use [7] or [8]. The values are [5], [6].", "Use [7] or [8]. The values are [5], [6]."],
  ["It lies between [5] and [6]. 来源是[9]和[10]。", "It lies between [5] and [6]. 来源是[9]和[10]。"],
  ["It reads argv[9], [1].", "It reads argv[9], [1]."],
  ["It is so [1], [9] for them. 见[1]、[9]的说明。", "It is so [1] for them. 见[1]的说明。"],
  ["It is so [1] and [9]; 无人知晓[1]和[9]。是[2]与[9]，", "It is so [1]; 无人知晓[1]。是[2]，"],
])("numbers side by side go or stay together: %s", (given, shown) => {
  for (let at = 0; at < given.length; at++)
    expect(filter(given, undefined, [given.slice(0, at), given.slice(at)]).text).toBe(shown);
});

test.each([
  "The cell grid[1][0] is empty, and grid[1][12] is not.",
  "The rows [1] and [0] are.",
  "The rows [1], [0]. The rows [9] and [0] are.",
  "See items [1] and [12] for x, and [2] or [8], [3] as they are.",
  "见第[1]和[12]项，[2]以及[9]行，[3] & [9] 列。",
])("a number without a source that is a value stays beside a citation: %s", (given) => {
  for (let at = 0; at < given.length; at++)
    expect(filter(given, undefined, [given.slice(0, at), given.slice(at)]).text).toBe(given);
});

test.each([
  ["The capital is Paris [1] [2].", "The capital is Paris."],
  ["The values are [7], [8].", "The values are [7], [8]."],
  ["Take [7], [8] as they are.", "Take [7], [8] as they are."],
])("so do numbers side by side without any source: %s", (given, shown) => {
  expect(filter(given, createMemorySourceList()).text).toBe(shown);
  expect(filter(given, createMemorySourceList(), [...given]).text).toBe(shown);
});
