import { describe, expect, test } from "vitest";
import { answer, lines, query } from "./query.ts";

test.each([
  ["year", "| 2026 | 1 |"],
  ["quarter", "| 2026-Q1 | 1 |"],
  ["month", "| 2026-01 | 1 |"],
  ["week", "| 2026-W01 | 1 |"],
  ["day", "| 2026-01-01 | 1 |"],
  ["weekday", "| Thursday | 1 |"],
  ["hour", "| 23 | 1 |"],
])("rows are grouped by the %s of a date", async (part, line) => {
  expect(await lines({ data: '[{"at":"2026-01-01T23:05:00Z"}]', group_by: [`${part}(at)`] })).toEqual([line]);
});

test.each([
  "2026-11-20",
  "2026/11/20",
  "2026.11.20",
  "2026年11月20日",
  "20261120",
  "11/20/2026",
  "20.11.2026",
  "20 Nov 2026",
  "Nov 20, 2026",
  "November 20th 2026",
  "2026-11-20 08:05",
  "2026-11-20T08:05:09.123+08:00",
  "11/20/2026 8:05 PM",
])("%s is read as a date", async (date) => {
  expect(await lines({ data: `at;n\n"${date}";1\n`, group_by: ["day(at)"] })).toEqual(["| 2026-11-20 | 1 |"]);
});

test("a day above 12 tells for the whole column which number is the day", async () => {
  const data = "at,n\n01/02/2026,1\n25/02/2026,1\n";
  expect(await lines({ data, group_by: ["month(at)"] })).toEqual(["| 2026-02 | 2 |"]);
});

test("the order of day and month is told where it was guessed", async () => {
  const text = await answer({ data: "at,n\n01/02/2026,1\n", group_by: ["month(at)"] });
  expect(text).toContain("| 2026-01 | 1 |");
  expect(text).toContain('Dates in "at", such as "01/02/2026", were read as month/day/year.');
});

test("rows without a date stay in the totals as a group of their own, and are told", async () => {
  const text = await answer({ data: "at,n\n2026-02-30,1\n,2\n2026-02-01,4\n", group_by: ["month(at)"] });
  expect(text).toContain("| 2026-02 | 1 |\n| (no date) | 2 |");
  expect(text).toContain("2 of 3 rows have no month(at).");
});

describe("the dates behind the groups are told", () => {
  const months = (year: number, count: number, rest = "Tea,1") =>
    Array.from({ length: count }, (_, index) => `${year}-${String(index + 1).padStart(2, "0")}-05,${rest}`).join("\n");
  const uneven = `date,product,amount\n${months(2025, 12)}\n${months(2026, 10)}\n2026-10-22,Tea,3`;
  const sum = [{ column: "amount", op: "sum" }];

  test("so that twelve months are not compared with ten unseen", async () => {
    const args = { data: uneven, group_by: ["product", "year(date)"], aggregate: sum };
    expect(await answer(args)).toContain(
      'Dates in "date": 2025: 2025-01-05 to 2025-12-05 (12 rows in 12 months); 2026: 2026-01-05 to 2026-10-22 (11 rows in 10 months). They do not cover the same months; mind this when comparing them.',
    );
    expect((await query(args, ".", "zh")).text).toContain(
      "2026：2026-01-05 至 2026-10-22（11 行，10 个月）。各组的月份不同，比较时请注意",
    );
  });

  test("without a warning where the years cover the same months", async () => {
    const where = [{ column: "month(date)", op: "<=", value: 10 }];
    const text = await answer({ data: uneven, where, group_by: ["year(date)"], aggregate: sum });
    expect(text).toMatch(/2025: 2025-01-05 to 2025-10-05 \(10 rows in 10 months\); 2026: .*\.$/);
  });

  test("for groups of another column where they differ in extent, and else for all rows", async () => {
    const late = `${uneven}\n${months(2026, 3, "Coffee,1")}`;
    const args = { group_by: ["product"], aggregate: sum };
    expect(await answer({ data: late, ...args })).toContain(
      "Coffee: 2026-01-05 to 2026-03-05 (3 rows in 3 months); Tea: 2025-01-05 to 2026-10-22 (23 rows in 22 months). They do not",
    );
    expect(await answer({ data: uneven, ...args })).toContain(
      'Dates in "date": 2025-01-05 to 2026-10-22 (23 rows in 22 months).',
    );
  });

  test("but not of columns of numbers", async () => {
    const args = { data: "year,version,amount\n2025,2026.11,20260101\n2026,2026.12,20260102", aggregate: sum };
    expect(await answer(args)).not.toContain("Dates in");
  });
});
