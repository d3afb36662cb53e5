import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/kit/json.ts";
import { createFormatData } from "../../../../src/tools/builtin/format-data/format-data.ts";
import { createHeavyWork } from "../../../../src/tools/workers/heavy-work.ts";
import { testContext } from "../../context.ts";
import { temporaryFiles } from "../files.ts";

const work = createHeavyWork();
afterAll(() => work.close());

const format = (args: JsonObject, locale: "zh" | "en" = "en", root = ".") =>
  createFormatData({ roots: [root] }, locale, work).run({ indent: 0, ...args }, testContext({ locale }));

/** What stands below the heading. */
async function converted(args: JsonObject): Promise<string> {
  const { ok, text } = await format(args);
  expect(ok, text).toBe(true);
  return text.slice(text.indexOf("\n\n") + 2);
}

const people = [
  { name: "张三", age: 30, phone: "013800138000", note: 'says "hi", ok' },
  { name: "a|b", age: 1.5, phone: "", note: "two\nlines" },
];
const written = {
  csv: '张三,30,013800138000,"says ""hi"", ok"\na|b,1.5,,"two\nlines"',
  tsv: '张三\t30\t013800138000\t"says ""hi"", ok"\na|b\t1.5\t\t"two\nlines"',
  markdown: '| 张三 | 30 | 013800138000 | says "hi", ok |\n| a\\|b | 1.5 |  | two<br>lines |',
};

test.each(["csv", "tsv", "markdown", "json", "yaml"] as const)(
  "a table goes to %s and back, from every format",
  async (to) => {
    const json = JSON.stringify(people);
    const there = await converted({ data: json, to });
    if (to in written) expect(there).toContain(Object.entries(written).find(([name]) => name === to)?.[1]);
    expect(JSON.parse(await converted({ data: there, from: to, to: "json" }))).toEqual(people);
    for (const back of ["csv", "tsv", "markdown", "yaml"])
      expect(await converted({ data: there, from: to, to: back })).toBe(await converted({ data: json, to: back }));
  },
);

test("any table comes back from any format as it went", async () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "，", "|", "\\", '"', ",", ";", "\t", "\n", "é", "0", "=", "<", "用"),
  });
  const cell = fc.oneof(
    text.map((value) => value.trim()),
    fc.integer(),
    fc.boolean(),
  );
  const rows = fc.array(fc.record({ k: cell, 列: cell }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom("csv", "tsv", "markdown", "yaml"), async (list, to) => {
      const there = await converted({ data: JSON.stringify(list), to });
      expect(JSON.parse(await converted({ data: there, from: to, to: "json" }))).toEqual(
        list.map((row) => ({ k: reread(row.k), 列: reread(row.列) })),
      );
      function reread(value: string | number | boolean) {
        if (to === "yaml") return value;
        const plain = typeof value === "string" && /^(0|-?[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
        return plain;
      }
    }),
    {
      numRuns: 100,
      // The last row's cells are all empty: in TSV it is nothing but a tab.
      examples: [
        [[{ k: "", 列: "" }], "tsv"],
        [[{ k: "a", 列: "" }], "tsv"],
      ],
    },
  );
});

describe("what a text means", () => {
  test.each<[string, string, string]>([
    [
      "numbers that would change stay text",
      "a,b,c,d\n007,1.50,1e5,12345678901234567",
      '[{"a":"007","b":"1.50","c":"1e5","d":"12345678901234567"}]',
    ],
    ["numbers that would not are numbers", "a,b,c\n7,-1.5,true", '[{"a":7,"b":-1.5,"c":true}]'],
    ["a mark of byte order and Windows line ends", '\ufeffa,b\r\n1,"x\r\ny"\r\n', '[{"a":1,"b":"x\\r\\ny"}]'],
    ["semicolons", "a;b\n1,5;2", '[{"a":"1,5","b":2}]'],
    ["full-width commas", "甲，乙\n一，二", '[{"甲":"一","乙":"二"}]'],
    ["full-width bars", "｜甲｜乙｜\n｜---｜:--:｜\n｜1｜2｜", '[{"甲":1,"乙":2}]'],
    ["a table within a text", "Before:\n\na | b\n:-|-:\n1 | x\\|y\n\nAfter | all", '[{"a":1,"b":"x|y"}]'],
    ["the delimiter that Excel is told", "sep=;\na;b\n1,5;2", '[{"a":"1,5","b":2}]'],
    ["any delimiter that Excel is told", "sep=|\r\na|b\r\n1|2", '[{"a":1,"b":2}]'],
    ["a fence round JSON", '```json\n{"a":1}\n```\n', '{"a":1}'],
    ["a fence round CSV", "```\na,b\n1,2\n```", '[{"a":1,"b":2}]'],
    ["a tag of YAML's core", "a: !!str 5", '{"a":"5"}'],
    ["a formula is data", "a,b\n=1+1,@x", '[{"a":"=1+1","b":"@x"}]'],
    ["JSON Lines", '{"a":1}\n{"a":2}\n', '[{"a":1},{"a":2}]'],
    ["YAML with anchors and merges", "x: &x {a: 1}\ny:\n  <<: *x\n  b: no\n", '{"x":{"a":1},"y":{"a":1,"b":"no"}}'],
    ["YAML of several documents", "---\na: 1\n---\nb: 2\n", '[{"a":1},{"b":2}]'],
    ["digits that a number would lose", '{"id":12345678901234567890}', '{"id":"12345678901234567890"}'],
    ["the same in YAML", "id: 12345678901234567890", '{"id":"12345678901234567890"}'],
    [
      "names that objects have anyway",
      '{"__proto__":{"x":1},"constructor":2}',
      '{"__proto__":{"x":1},"constructor":2}',
    ],
    ["the same in a table", "__proto__,toString\n1,2", '[{"__proto__":1,"toString":2}]'],
    ["columns without names and with the same", "a,a,\n1,2,3", '[{"a":1,"a_2":2,"column_3":3}]'],
  ])("%s", async (_, data, expected) => {
    expect(await converted({ data, to: "json" })).toBe(expected);
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  });

  test("nested values are JSON in a cell, missing ones nothing", async () => {
    const data = JSON.stringify([{ a: { b: [1] } }, { c: null, a: false }]);
    expect(await converted({ data, to: "csv" })).toBe('a,c\n"{""b"":[1]}",\nfalse,');
    expect(await converted({ data: '[["a","b"],[1],[2,3]]', to: "csv" })).toBe("a,b\n1,\n2,3");
    expect(await converted({ data: "[[1,2]]", to: "csv" })).toBe("column_1,column_2\n1,2");
  });

  test("columns keep their order, whatever their names", async () => {
    const csv = "name,2026,2025\nA,1,2";
    const json = '[{"name":"A","2026":1,"2025":2}]';
    const yaml = '- name: A\n  "2026": 1\n  "2025": 2';
    for (const data of [csv, json, yaml]) {
      const columns: JsonObject = data === csv ? {} : { columns: ["name", "2026", "2025"] };
      expect(await converted({ data, to: "csv" })).toBe(csv);
      expect(await converted({ data, to: "json", ...columns })).toBe(json);
      expect(await converted({ data, to: "yaml", ...columns })).toBe(yaml);
    }
    const nested = '[{"a":{"2025":1},"2026":[1],"2025":{}}]';
    const picked = { data: nested, columns: ["a", "2026", "2025"] };
    expect(await converted({ ...picked, to: "json" })).toBe(nested);
    expect(await converted({ data: json, to: "json", columns: ["name"], indent: 2 })).toBe(
      JSON.stringify([{ name: "A" }], undefined, 2),
    );
    expect(await converted({ data: '[{"a":{"b":[1,"x\\ny"]}}]', to: "json", columns: ["a"], indent: 2 })).toBe(
      JSON.stringify([{ a: { b: [1, "x\ny"] } }], undefined, 2),
    );
  });

  test("what cells cannot say is told", async () => {
    const data = '[{"a":"1","b":null,"c":"x\\ud800"},{"a":"true","b":"007","c":2}]';
    const { text } = await format({ data, to: "csv" });
    expect(text).toContain('2 texts look like numbers or true and false, and are read back as such, such as "1"\n');
    expect(text).toContain("1 null became empty cells\n");
    expect(text).toContain("1 texts hold half a character, which becomes \ufffd");
    expect((await format({ data: '[{"a":1,"b":"x"}]', to: "csv" })).text).toBe(
      "json → csv (rows: 1, columns: 2)\n\na,b\n1,x",
    );
  });

  test("columns are chosen and put in order", async () => {
    const data = '[{"a":1,"b":{"k":1},"c":3}]';
    expect(await converted({ data, to: "json", columns: ["b", "a"] })).toBe('[{"b":{"k":1},"a":1}]');
    const { ok, text } = await format({ data, to: "json", columns: ["z"] });
    expect(ok).toBe(false);
    expect(text).toBe('There is no column "z" (available: "a", "b", "c").');
  });

  test("what was recognised, and what had to be decided, is told", async () => {
    expect((await format({ data: "a,b\n1\n2,3", to: "yaml" })).text).toMatch(
      /^csv → yaml \(rows: 2, columns: 2\)\n1 row lacks cells and was filled up, such as line 2\n\n- a: 1\n/,
    );
    expect((await format({ data: '{"a":1,\n"a":2}', to: "json" }, "zh")).text).toBe(
      'json → json\n键重复，取后者：第 2 行第 1 列，"\\"a\\":2}" 处\n\n{"a":2}',
    );
    expect((await format({ data: "a: 1\na: 2", to: "json" })).text).toContain(
      "Duplicate key, the later value is used: line 2, column 1",
    );
  });

  test("indents as asked", async () => {
    expect(await converted({ data: '{"a":[1]}', to: "json", indent: 4 })).toBe('{\n    "a": [\n        1\n    ]\n}');
    expect(await converted({ data: '{"a":{"b":1}}', to: "yaml", indent: 4 })).toBe("a:\n    b: 1");
    expect(await converted({ data: '{"a":"yes","b":"012","c":null}', to: "yaml" })).toBe('a: "yes"\nb: "012"\nc: null');
  });
});

const tooLarge = /^The table is too large: \d+ rows by \d+ columns; at most 1000000 cells\.$/;

describe("what cannot be converted is told with its place", () => {
  test.each<[string, JsonObject, RegExp]>([
    [
      "bad JSON",
      { data: '{"a": 1,\n "b": }', to: "yaml" },
      /^The JSON is not valid \(.+\): line 2, column 7, at "\\?.+"$/,
    ],
    ["JSON that ends too early", { data: '{"a": [1', to: "yaml" }, /not valid .*line 1, column 9/],
    ["bad YAML", { data: "a: 1\nb: [1,", to: "json" }, /^The YAML is not valid \(.+\): line 2/],
    ["a YAML tag", { data: "a: !!js/function 'x'", to: "json" }, /This tag is not supported in YAML: line 1, column 4/],
    ["a set of YAML", { data: "a: !!set {x, y}", to: "json" }, /This tag is not supported in YAML: line 1, column 4/],
    ["an ordered map", { data: "a: !!omap [x: 1]", to: "json" }, /This tag is not supported/],
    ["a date by tag", { data: "a: !!timestamp 2020-01-01", to: "json" }, /This tag is not supported/],
    ["bytes by tag", { data: "a: !!binary aGk=", to: "json" }, /This tag is not supported/],
    ["an alias within itself", { data: "x: &x [*x]", to: "json" }, /an alias refers to something that contains it/],
    ["an unknown alias", { data: "a: *b", to: "json" }, /cannot be read: .*alias/],
    [
      "too many cells",
      { data: "a,b\n1,2\n1,2,3", to: "json" },
      /^Line 3 has 3 cells for 2 columns: "3" is one too many/,
    ],
    [
      "a result that is too large",
      { data: `${"n".repeat(20_000)},b\n${"1,2\n".repeat(600)}`, to: "json" },
      /^The result is too large: \d+ characters; at most 10000000\.$/,
    ],
    ["a quote that is not closed", { data: 'a,b\n1,"x\n', to: "json" }, /^Line \d: a quote is not closed/],
    ["no table in Markdown", { data: "text", from: "markdown", to: "csv" }, /^There is no Markdown table/],
    ["a list of numbers as a table", { data: "[1,2]", to: "csv" }, /^\[0\] is 1: a table needs a list of objects/],
    ["one that is no row", { data: '[{"a":1},"x"]', to: "csv" }, /^\[1\] is "x": /],
    ["rows under a key", { data: '{"rows":[{"a":1}]}', to: "csv" }, /seems to be under "rows": pass only that list/],
    ["nothing", { data: " \n", to: "json" }, /^data is empty/],
    [
      "a format that is not clear",
      { data: "hello", to: "json" },
      /^The format is not clear \(it begins with "hello"\); format_data can be told it in from/,
    ],
    ["depth", { data: `${"[".repeat(101)}${"]".repeat(101)}`, to: "yaml" }, /more than 100 levels deep/],
    ["a long header over short rows", { data: `${"a,".repeat(2000)}\n${"1\n".repeat(1000)}`, to: "json" }, tooLarge],
    ["nothing but short rows", { data: `a,b\n${"1\n".repeat(400_000)}`, to: "json" }, /^More than 20000 lines do not/],
    [
      "a key a row",
      { data: JSON.stringify(Array.from({ length: 2000 }, (_, n) => ({ [n]: 1 }))), to: "csv" },
      tooLarge,
    ],
    ["one long row of many", { data: `[[${"1,".repeat(9000)}1],${"[],".repeat(300_000)}[]]`, to: "csv" }, tooLarge],
    ["endless depth", { data: "[".repeat(500_000), to: "yaml" }, /nested/],
  ])("%s", async (_, args, reason) => {
    const result = await format(args);
    expect(result).toMatchObject({ ok: false, error: { code: "tool" } });
    expect(result.text).toMatch(reason);
  });

  test("an alias bomb is refused", async () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(of).join(",")}]`;
    const data = [level("a", "x"), level("b", "*a"), level("c", "*b"), level("d", "*c"), "e: [*d,*d]"].join("\n");
    expect((await format({ data, to: "json" })).text).toMatch(/cannot be read: .*alias/i);
  });
});

test.each([
  ["keys", ["auto"], Array.from({ length: 30_000 }, (_, n) => `k${n}: 1`).join("\n")],
  ["repeated keys", ["auto"], "a: 1\n".repeat(50_000)],
  ["anchors", ["auto", "yaml"], "&a ".repeat(90_000)],
  ["brackets", ["auto", "yaml"], "[".repeat(250_000)],
  ["a rule of blanks", ["auto", "markdown"], `a|b\n${" ".repeat(900_000)}x`],
  ["a rule of dashes", ["auto", "markdown"], `a|b\n${"-|".repeat(450_000)}x`],
  ["quotes", ["auto", "csv"], '"'.repeat(999_999)],
  ["columns", ["auto"], "a,".repeat(490_000)],
  ["rows", ["auto"], `a,b\n${"1,2\n".repeat(200_000)}`],
])(
  "a large text of %s comes to an end",
  async (_, inFull, data) => {
    for (const from of ["auto", "yaml", "csv", "markdown"]) {
      // In full for whom it is hard, once; for the others a part is enough to see that they do not choke on it.
      const part = inFull.includes(from) ? data : data.slice(0, 30_000);
      const result = await format({ data: part, from, to: "json" });
      expect(result.text.length).toBeGreaterThan(0);
    }
  },
  60_000,
);

describe("a file", () => {
  test("is converted by its path, in its own charset, with its format known by its ending", async () => {
    const gbk = Buffer.from([0xd4, 0xc2, 0x0a, 0xd2, 0xbb, 0xd4, 0xc2, 0x0a]);
    await using files = await temporaryFiles({ "sub/monthly.csv": "month,amount\n2025-01,8537.39\n", "one.csv": gbk });
    const markdown = await format({ path: "sub/monthly.csv", to: "markdown" }, "en", files.path);
    expect(markdown.text).toBe(
      "sub/monthly.csv: csv → markdown (rows: 1, columns: 2)\n\n| month | amount |\n| --- | ---: |\n| 2025-01 | 8537.39 |",
    );
    const json = await format({ path: "one.csv", to: "json" }, "zh", files.path);
    expect(json.text).toBe('one.csv：csv → json（1 行，1 列）\n\n[{"月":"一月"}]');
  });

  test("outside the allowed folders, hidden, too large or no text is refused as by the other file tools", async () => {
    const large = Buffer.alloc(2_000_001, "a");
    await using files = await temporaryFiles({ ".env": "a=1", "x.bin": Buffer.from([0, 1]), "large.csv": large });
    const refusal = async (path: string) => {
      const { ok, text } = await format({ path, to: "json" }, "en", files.path);
      expect(ok).toBe(false);
      return text;
    };
    for (const path of ["/etc/passwd", ".env", "../x.csv"])
      expect(await refusal(path)).toContain("was not found: a path");
    expect(await refusal("x.bin")).toBe("x.bin is not a text file.");
    expect(await refusal("large.csv")).toBe("large.csv has 2 MB; at most 2 MB are allowed.");
    expect(await refusal("larg.csv")).toContain('There is no "larg.csv" in');
  });

  test("and data are one too many, and neither is too few", async () => {
    const both: JsonObject = { path: "a.csv", data: "a,b", to: "json" };
    for (const args of [both, { to: "json" }])
      expect(await format(args)).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
  });
});
