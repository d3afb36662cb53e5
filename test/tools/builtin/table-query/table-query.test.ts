import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/kit/json.ts";
import { createTableQuery } from "../../../../src/tools/builtin/table-query/table-query.ts";
import { testContext } from "../../context.ts";
import { temporaryFiles } from "../files.ts";
import { answer, lines, query, work } from "./query.ts";

async function failure(args: JsonObject, root?: string): Promise<string> {
  const { ok, text } = await query(args, root);
  expect(ok, text).toBe(false);
  return text;
}

const sales = `date,region,product,amount
2025-01-15,North,Tea,0.1
2025-01-20,North,Coffee,0.2
2025-02-03,South,Tea,1000.50
2026-01-09,North,Tea,10.00
2026-02-11,South,Coffee,20.05
2026-02-28,South,Tea,30.15
`;

test("two years are compared by region in one call, with exact sums", async () => {
  await using files = await temporaryFiles({ "sales.csv": sales });
  const args = {
    path: "sales.csv",
    group_by: ["region", "year(date)"],
    aggregate: [{ column: "amount", op: "sum" }],
  };
  expect(await answer(args, files.path)).toBe(`sales.csv: 6 rows read, 6 matched; all 4 groups shown

| region | year(date) | sum(amount) |
| --- | --- | --- |
| North | 2025 | 0.3 |
| North | 2026 | 10 |
| South | 2025 | 1000.5 |
| South | 2026 | 50.2 |

All 6 matched rows: sum(amount) = 1061
Dates in "date": 2025: 2025-01-15 to 2025-02-03 (3 rows in 2 months); 2026: 2026-01-09 to 2026-02-28 (3 rows in 2 months).`);
});

test("the average of all rows and the best month come in one call, and totals are of all rows whatever the limit", async () => {
  await using files = await temporaryFiles({ "sales.csv": sales });
  const args = {
    path: "sales.csv",
    group_by: ["month(date)"],
    aggregate: [
      { column: "amount", op: "sum" },
      { column: "amount", op: "avg" },
    ],
    sort: ["sum(amount) desc"],
    limit: 1,
  };
  const text = await answer(args, files.path);
  expect(text).toContain("6 rows read, 6 matched; only the first of 4 groups shown (see limit)");
  expect(text).toContain("| 2025-02 | 1000.5 | 1000.5 |");
  expect(text).toContain("All 6 matched rows: sum(amount) = 1061, avg(amount) = 176.833333");
  expect(text).toContain("rounded to 6 decimals");
});

test("the answer is in Chinese where the reader is", async () => {
  const data = "日期,金额\n2026-11-20,3\n2026-11-21,x\n";
  const args = { data, group_by: ["weekday(日期)"], aggregate: [{ column: "金额", op: "sum" }] };
  expect((await query(args, ".", "zh")).text).toBe(`读取 2 行，符合 2 行，显示全部 2 组

| weekday(日期) | sum(金额) |
| --- | --- |
| 星期五 | 3 |
| 星期六 | - |

全部 2 个符合的行：sum(金额) = 3
"日期" 列的日期：2026-11-20 至 2026-11-21（2 行，1 个月）
"金额" 列的 2 个单元格中有 1 个不是数字（如 "x"），未计入`);
});

test("sums of decimals are exact, whatever the numbers", async () => {
  const cents = fc.array(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(cents, async (list) => {
      const data = `n\n${list.map((each) => (each / 100).toFixed(2)).join("\n")}\n`;
      const total = list.reduce((sum, each) => sum + BigInt(each), 0n);
      const digits = String(total < 0n ? -total : total).padStart(3, "0");
      const text = `${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.?0+$/, "");
      const shown = total < 0n ? `-${text}` : text;
      expect(await lines({ data, aggregate: [{ column: "n", op: "sum" }] })).toEqual([`| ${shown} |`]);
    }),
    { numRuns: 30 },
  );
});

test("every operation gives its value", async () => {
  const data = "k,v\na,3\na,1\nb,2\nb,2\n,\n";
  const aggregate = ["count", "sum", "avg", "mean", "min", "max", "median", "distinct"].map((op) => ({
    column: "v",
    op,
  }));
  expect(await lines({ data, aggregate: [{ op: "count" }, ...aggregate] })).toEqual([
    "| 5 | 4 | 8 | 2 | 2 | 1 | 3 | 2 | 3 |",
  ]);
});

test("numbers as people write them are told, and what is no number is left out and counted", async () => {
  const data = 'v\n"1,234.50"\n¥12\n15%\n(20)\n3万\nn/a\n\n-\n';
  const text = await answer({ data, aggregate: [{ column: "v", op: "sum" }] });
  expect(text).toContain("| 31226.65 |");
  expect(text).toContain('2 of 7 cells in "v" are not numbers (such as "n/a", "-"); left out.');
  expect(text).toContain('Taken as numbers in "v": "1,234.50" = 1234.5, "¥12" = 12, "15%" = 0.15, "(20)" = -20');
});

test.each([
  ["7,25", "1.234,50", "1.000", "€ 12,5", "2254.25"],
  ["7.25", "1,234.50", "1,000", "€ 12.5", "2254.25"],
  ["1 234,5", "2\u202f000,5", "7", "8", "3250"],
  ["7,25", "1.234", "1", "2", "1244.25"],
  ["1'234.5", "1 000", "7", "8", "2249.5"],
  ["3千", "2百万", "1千万元", "1万", "12013000"],
])("a column is read by the mark that its own cells show: %s, %s, %s, %s", async (...cells) => {
  const [sum = "", ...list] = cells.toReversed();
  const data = `name;amount\n${list.map((cell) => `x;${cell}`).join("\n")}`;
  const text = await answer({ data, aggregate: [{ column: "amount", op: "sum" }] });
  expect(text).toContain(`| ${sum} |`);
  expect(text).toContain('Taken as numbers in "amount": ');
  expect(text).not.toContain("left out");
});

test("a column with cells of both kinds leaves out those with a comma, and tells them", async () => {
  const data = "name;amount\nx;7,25\nx;7.5\n";
  const text = await answer({ data, aggregate: [{ column: "amount", op: "sum" }] });
  expect(text).toContain("| 7.5 |");
  expect(text).toContain('1 of 2 cells in "amount" is not a number (such as "7,25"); left out.');
});

test("a file is a source that answers can cite, data is none, and a missing file is answered with its neighbours", async () => {
  await using files = await temporaryFiles({ "sales.csv": sales });
  const aggregate = [{ column: "amount", op: "sum" }];
  expect(await query({ path: "sales.csv", aggregate }, files.path)).toMatchObject({
    kind: "file",
    sources: [{ title: "sales.csv" }],
  });
  expect((await query({ data: sales, aggregate })).sources).toBeUndefined();
  expect(await failure({ path: "salse.csv", aggregate }, files.path)).toMatch(/Files there \(1\): sales\.csv \d+ B\./);
});

test("a column with several currencies is told not to have been converted", async () => {
  const text = await answer({ data: "v\n¥12\n$3\n", aggregate: [{ column: "v", op: "sum" }] });
  expect(text).toContain('"v" has different currencies (¥, $); they were not converted.');
});

test("empty cells are left out of an average and counted", async () => {
  const text = await answer({ data: "k,v\na,1\nb,\nc,3\n", aggregate: [{ column: "v", op: "avg" }] });
  expect(text).toContain("| 2 |");
  expect(text).toContain('1 of 3 cells in "v" is empty; left out.');
});

describe("conditions", () => {
  const rows = async (...where: JsonObject[]) => (await lines({ data: sales, where, columns: ["amount"] })).length;

  test.each([
    [{ column: "region", op: "=", value: "north" }, 3],
    [{ column: "region", op: "!=", value: "North" }, 3],
    [{ column: "amount", op: ">", value: 10 }, 3],
    [{ column: "amount", op: ">=", value: "10" }, 4],
    [{ column: "amount", op: "=", value: 0.1 }, 1],
    [{ column: "date", op: ">=", value: "2026-01-01" }, 3],
    [{ column: "date", op: "=", value: "2025-01" }, 2],
    [{ column: "date", op: "<", value: 2026 }, 3],
    [{ column: "year(date)", op: "=", value: 2026 }, 3],
    [{ column: "month(date)", op: "=", value: "2026-02" }, 2],
    [{ column: "month(date)", op: "=", value: 2 }, 3],
    [{ column: "month(date)", op: "in", value: ["January", 3] }, 3],
    [{ column: "quarter(date)", op: "=", value: "Q1" }, 6],
    [{ column: "weekday(date)", op: "=", value: "Monday" }, 2],
    [{ column: "product", op: "in", value: ["Coffee", "Cocoa"] }, 2],
    [{ column: "product", op: "not in", value: ["Coffee"] }, 4],
    [{ column: "product", op: "contains", value: "off" }, 2],
    [{ column: "product", op: "not contains", value: "off" }, 4],
    [{ column: "product", op: "not empty" }, 6],
  ])("%j selects %i rows", async (condition, count) => {
    expect(await rows(condition)).toBe(count);
  });

  test("hold all at once", async () => {
    expect(await rows({ column: "region", op: "=", value: "South" }, { column: "amount", op: "<", value: 25 })).toBe(1);
  });

  test("that no row meets are told with the values that there are", async () => {
    const where = [{ column: "region", op: "=", value: "Nord" }];
    const text = await answer({ data: sales, where, aggregate: [{ op: "count" }] });
    expect(text).toContain("6 rows read, 0 matched");
    expect(text).toContain('No row meets region = "Nord"; its values are: "North", "South"');
  });

  test("tell how many cells could not be compared", async () => {
    const text = await answer({ data: "v\n1\nx\n5\n", where: [{ column: "v", op: ">", value: 2 }] });
    expect(text).toContain('1 cell in "v" cannot be compared (> "2"); such rows do not match.');
  });

  test("without a value are refused", async () => {
    expect(await failure({ data: sales, where: [{ column: "amount", op: ">" }] })).toContain("lacks its value");
  });

  test("on a part of a date say how to write the value", async () => {
    const where = [{ column: "quarter(date)", op: "=", value: "spring" }];
    expect(await failure({ data: sales, where })).toContain(
      'cannot be compared with "spring" (write it like 2026-Q4, 4)',
    );
  });
});

describe("what is wrong with a query is told with what there is", () => {
  test("for a column in any place", async () => {
    const known = 'There is no column "regoin" (available: "date", "region", "product", "amount";';
    const queries: JsonObject[] = [
      { group_by: ["regoin"] },
      { group_by: ["month(regoin)"] },
      { aggregate: [{ column: "regoin", op: "sum" }] },
      { where: [{ column: "regoin", op: "=", value: "x" }] },
      { columns: ["regoin"] },
      { sort: ["regoin desc"] },
    ];
    for (const wrong of queries)
      expect(await failure({ data: sales, ...wrong }), JSON.stringify(wrong)).toContain(known);
  });

  test("for a sum of texts", async () => {
    expect(await failure({ data: sales, aggregate: [{ column: "region", op: "sum" }] })).toBe(
      'No cell in "region" is a number (such as "North", "South"); columns with numbers: "amount".',
    );
  });

  test("for groups that cannot be sorted so", async () => {
    expect(await failure({ data: sales, group_by: ["region"], sort: ["amount"] })).toContain(
      "(available: region, count)",
    );
  });

  test("for both a path and data, and for neither", async () => {
    expect(await failure({ data: sales, path: "x.csv" })).toContain("give either path or data");
    expect(await failure({})).toContain("give either path or data");
  });

  test("for an operation that there is not, by the schema", async () => {
    expect(await failure({ data: sales, aggregate: [{ column: "amount", op: "total" }] })).toContain("aggregate[0].op");
  });
});

test.each([["-sum(amount)"], ["sum(amount) desc"], ["SUM(Amount) DESC"], ["amount desc"]])(
  "groups are sorted by %s",
  async (sort) => {
    const args = { data: sales, group_by: ["region"], aggregate: [{ column: "amount", op: "sum" }], sort: [sort] };
    expect(await lines(args)).toEqual(["| South | 1050.7 |", "| North | 10.3 |"]);
  },
);

test("rows are listed with some columns, sorted as numbers", async () => {
  const args = { data: sales, columns: ["product", "amount"], sort: ["amount desc"], limit: 2 };
  expect(await answer(args)).toContain("only the first 2 of 6 rows shown");
  expect(await lines(args)).toEqual(["| Tea | 1000.50 |", "| Tea | 30.15 |"]);
});

describe("files", () => {
  test("in GBK, with a byte order mark, with quoted line breaks and in tabs are read", async () => {
    await using files = await temporaryFiles({
      // 地区,金额 / 华东,0.1 / 华东,0.2
      "gbk.csv": Buffer.from("b5d8c7f82cbdf0b6ee0abbaab6ab2c302e310abbaab6ab2c302e320a", "hex"),
      "bom.csv": '\ufeff地区,金额\r\n"华\n东",0.3\r\n',
      "tabs.tsv": "地区\t金额\n华东\t0.3\n",
    });
    const args = { group_by: ["地区"], aggregate: [{ column: "金额", op: "sum" }] };
    expect(await answer({ ...args, path: "gbk.csv" }, files.path)).toContain("| 华东 | 0.3 |");
    expect(await answer({ ...args, path: "bom.csv" }, files.path)).toContain("| 华<br>东 | 0.3 |");
    expect(await answer({ ...args, path: "tabs.tsv" }, files.path)).toContain("| 华东 | 0.3 |");
  });

  test("of JSON are read as a list, as lines, and as a list in an object", async () => {
    const rows = [
      { k: "a", v: 0.1 },
      { k: "a", v: 0.2 },
    ];
    await using files = await temporaryFiles({
      "list.json": JSON.stringify(rows),
      "lines.jsonl": rows.map((row) => JSON.stringify(row)).join("\n"),
      "inner.json": JSON.stringify({ total: 2, items: rows }),
    });
    const args = { group_by: ["k"], aggregate: [{ column: "v", op: "sum" }] };
    for (const path of ["list.json", "lines.jsonl", "inner.json"])
      expect(await answer({ ...args, path }, files.path)).toContain("| a | 0.3 |");
    expect(await answer({ ...args, path: "inner.json" }, files.path)).toContain('the list under "items"');
  });

  test("outside the allowed folders, hidden, and that are no text are refused as by the other file tools", async () => {
    await using files = await temporaryFiles({ ".hidden.csv": "a\n1\n", "x.csv": new Uint8Array([0, 1, 2, 0]) });
    expect(await failure({ path: ".hidden.csv" }, files.path)).toContain("was not found");
    expect(await failure({ path: "../x.csv" }, files.path)).toContain("was not found");
    expect(await failure({ path: "x.csv" }, files.path)).toContain("is not a text file");
  });

  test("that are too large are refused, for a part of them would give wrong totals", async () => {
    await using files = await temporaryFiles({ "x.csv": `v\n${"1\n".repeat(100)}` });
    const tool = createTableQuery({ roots: [files.path] }, "en", work, 100);
    const result = await tool.run({ path: "x.csv" }, testContext({ locale: "en" }));
    expect(result.ok).toBe(false);
    expect(result.text).toContain("x.csv has 202 B; at most 100 B are allowed.");
  });
});

test("no cell can break the table or control the terminal", async () => {
  const data = JSON.stringify([{ "k|\u001b[2J": "a|b\u001b[31m\nc" }]);
  const text = await answer({ data });
  expect(text).not.toContain("\u001b");
  expect(text).toContain("a\\|b");
});

test("shares are percents of all matched rows", async () => {
  const data = "region,amount\nNorth,1\nNorth,2\nSouth,9\nSouth,0";
  const args = { data, group_by: ["region"], sort: ["region"] };
  const ofAmount = [{ column: "amount", op: "share" }];
  expect(await lines({ ...args, aggregate: ofAmount })).toEqual(["| North | 25% |", "| South | 75% |"]);
  expect(await lines({ ...args, aggregate: [{ op: "share" }] })).toEqual(["| North | 50% |", "| South | 50% |"]);
});
