import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/kit/json.ts";
import { createCalculator } from "../../../../src/tools/builtin/calculator/calculator.ts";
import { startCpuClock } from "../../../fakes/cpu-time.ts";
import { testContext } from "../../context.ts";

const calculate = (args: JsonObject, locale: "zh" | "en" = "en") =>
  createCalculator(locale).run(args, testContext({ locale }));

/** The value at the end of `expression = value`. */
async function value(expression: string): Promise<string> {
  const result = await calculate({ expression });
  expect(result).toMatchObject({ ok: true });
  return result.text.slice(expression.length + 1);
}

test.each([
  ["2*(3+4)^2", "= 98"],
  ["0.1+0.2", "= 0.3"],
  ["1/3", "≈ 0.33333333333333"],
  ["-2^2", "= -4"],
  ["2^3^2", "= 512"],
  ["2**10", "= 1024"],
  ["10 % 3", "= 1"],
  ["-7 mod 3", "= 2"],
  ["50% * 80", "= 40"],
  ["2pi", "≈ 6.2831853071796"],
  ["5! + factorial(3)", "= 126"],
  ["sin(pi) + cos(pi/2)", "= 0"],
  ["sqrt(16) + cbrt(27) + abs(-1)", "= 8"],
  ["log(100, 10) + ln(e) + log2(8)", "= 6"],
  ["round(1.005, 2)", "= 1.01"],
  ["round(-2.5)", "= -3"],
  ["gcd(12, 18) + lcm(4, 6)", "= 18"],
  ["mean([1,2,3,4,5])", "= 3"],
  ["max(3, 9, 4) - min([3, 9, 4])", "= 6"],
  ["sum([0.1, 0.2, 0.3])", "= 0.6"],
  ["3 × 4 ÷ 2 − 1", "= 5"],
  ["1e-20 * 1", "= 1e-20"],
  ["9007199254740991", "= 9007199254740991"],
  ["-0", "= 0"],
  ["2^64", "= 18446744073709551616"],
  ["9007199254740993 - 9007199254740992", "= 1"],
  ["123456789*987654321", "= 121932631112635269"],
  ["12345678901234567890 mod 7", "= 1"],
  ["5% + 3%", "= 0.08"],
  ["1000 * (1 - 5% - 3%)", "= 920"],
  ["20% - 5%", "= 0.15"],
  ["10% + 5", "= 5.1"],
  ["100*5% - 20", "= -15"],
  ["100 + 10%", "= 110"],
  ["100 + 10% + 10%", "= 120"],
  [`0${"+0+5%+5%".repeat(120)}`, "= 0"],
  ["100 + 10% + 50 + 10%", "= 176"],
  ["100 + (10%)", "= 100.1"],
  ["8% + 2", "= 2.08"],
  ["30% + sqrt(4)", "= 2.3"],
  ["15% + 20% of 100", "= 20.15"],
  ["-5% + 3%", "= -0.02"],
  ["(50%)^2", "= 0.25"],
  ["10%3 + 17 % (2+3)", "= 3"],
  ["1e20 mod 3", "= 1"],
  ["mod(1e308, 3)", "= 1"],
  ["0.3 mod 0.1", "= 0"],
  ["-0.5 mod 0.3", "= 0.1"],
  ["sqrt(2) mod -1", "≈ -0.5857864376269"],
  ["1234567890123.45 + 0", "= 1234567890123.45"],
  ["123456789012345.6", "= 123456789012345.6"],
  ["99999999999999.99", "= 99999999999999.99"],
  ["1234567890.12345678901", "= 1234567890.12345678901"],
  ["1e15 + 0.5", "= 1000000000000000.5"],
  ["1e15 + 1/3", "≈ 1000000000000000"],
  ["floor(0.29*100) + ceil(1.1*10) + trunc(4.35*100)", "= 475"],
  ["floor(-1.5) + ceil(-1.5) + trunc(-1.5)", "= -4"],
  ["round(0.285*100)", "= 29"],
  ["round(-0.125, 2) + round(1250, -2)", "= 1299.87"],
  ["0.1+0.2-0.3", "= 0"],
  ["factorial(20)", "= 2432902008176640000"],
  ["pow(2,100)", "= 1267650600228229401496703205376"],
  ["2^-2 + 0.5^2", "= 0.5"],
  ["abs(-9007199254740993)", "= 9007199254740993"],
  ["comb(100, 50)", "= 100891344545564193334812497256"],
  ["sqrt(0.25) + sqrt(10^40)", "= 100000000000000000000.5"],
  ["sqrt(2)^2", "= 2"],
  ["mean(sqrt(2), 1)", "≈ 1.2071067811865"],
  ["std([1, 2, 3, 4])", "≈ 1.2909944487358"],
  ["variance(0.1, 0.2, 0.3)", "= 0.01"],
  ["2026-11-21 + 7", "= 2026-11-28 (Saturday)"],
  ["2026-11-21-2026-11-20", "= 1 day"],
  ["2026 - 11 - 21", "= 1994"],
  ["25!", "= 15511210043330985984000000"],
  ["10^30 / 10^28", "= 100"],
  ["10^30 / 7", "≈ 1.4285714285714e+29"],
  ["0.5 * 12345678901234567890", "= 6172839450617283945"],
  ["200 + 100%", "= 400"],
  ["3²+4²", "= 25"],
  ["2⁻³", "= 0.125"],
  ["1½ + ¼", "= 1.75"],
  ["√16 + √(2+2) + 2∛27", "= 12"],
  ["sin(30°) + cos(60 deg) + tan(45°)", "= 2"],
  ["|-5| · 2", "= 10"],
  ["1,234,567.5 + (1,000 - 1)", "= 1235566.5"],
  ["max(1, 200) + sum([1,200])", "= 401"],
  ["15% of 200", "= 30"],
  ["200的15%", "= 30"],
  ["3加5乘以2", "= 13"],
  ["2的3次方 + 5的平方", "= 33"],
  ["1.2万 * 3 + 1亿", "= 100036000"],
  ["$100 * 3 + ¥5", "= 305"],
  ["1_000", "= 1000"],
  ["comb(5, 2) + perm(5, 2)", "= 30"],
  ["2026-11-21 - 2026-01-01", "= 324 days"],
  ["2026年3月1日 - 2026年2月28日", "= 1 day"],
  ["2026-11-21 + 30 days", "= 2026-12-21 (Monday)"],
  ["2026-11-21 - 2 weeks", "= 2026-11-07 (Saturday)"],
])("%s %s", async (expression, expected) => {
  expect(await value(expression)).toBe(expected);
});

test("a question's own equals sign is not shown twice", async () => {
  expect((await calculate({ expression: "1 + 1 = ?" })).text).toBe("1 + 1 = 2");
});

test("full-width digits and signs are read as what they mean", async () => {
  expect((await calculate({ expression: "（１＋２）＊３" })).text).toBe("（１＋２）＊３ = 9");
});

describe("statistics", () => {
  test("the requirement's examples", async () => {
    expect((await calculate({ numbers: [1, 2, 3, 4, 5], operations: ["mean"] }, "zh")).text).toBe("平均值 = 3");
    const three = { numbers: [10, 20, 30], operations: ["mean", "max", "min"] };
    expect((await calculate(three, "zh")).text).toBe("平均值 = 20\n最大值 = 30\n最小值 = 10");
    expect((await calculate(three, "en")).text).toBe("mean = 20\nmax = 30\nmin = 10");
  });

  test("every operation has its value", async () => {
    const operations = ["count", "sum", "average", "median", "mode", "range", "product", "std", "variance"];
    const { text } = await calculate({ numbers: [2, 4, 4, 10], operations });
    expect(text.split("\n")).toEqual([
      "count = 4",
      "sum = 20",
      "average = 5",
      "median = 4",
      "mode = 4",
      "range = 8",
      "product = 320",
      "std ≈ 3.4641016151378; = 3 (sample, n-1; population, n)",
      "variance = 12; = 9 (sample, n-1; population, n)",
    ]);
  });

  test("the sample's deviation of one number is not made up", async () => {
    expect((await calculate({ numbers: [7], operations: ["std"] })).text).toBe(
      "std = -; = 0 (sample, n-1; population, n)",
    );
  });

  test("numbers alone give an overview", async () => {
    expect((await calculate({ numbers: [1, 2] })).text).toBe("count = 2\nsum = 3\nmean = 1.5\nmin = 1\nmax = 2");
  });

  test("an expression may use the numbers", async () => {
    expect((await calculate({ expression: "sum(numbers) / 2", numbers: [1, 2, 3] })).text).toBe("sum(numbers) / 2 = 3");
  });

  test("a sum keeps what doubles would lose", async () => {
    expect((await calculate({ numbers: [1e16, 1, -1e16], operations: ["sum"] })).text).toBe("sum = 1");
  });

  test("mean, minimum and maximum are in order for any numbers", async () => {
    const numbers = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 1, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(numbers, async (list) => {
        const { text } = await calculate({ numbers: list, operations: ["min", "median", "mean", "max"] });
        const [min, median, mean, max] = text.split("\n").map((line) => Number(line.split(/ [=≈] /)[1])) as [
          number,
          number,
          number,
          number,
        ];
        expect(min).toBe(Math.min(...list));
        expect(max).toBe(Math.max(...list));
        expect(median).toBeGreaterThanOrEqual(min);
        expect(mean).toBeLessThanOrEqual(max + 1e-6);
      }),
    );
  });
});

describe("what cannot be calculated is a failure with its reason", () => {
  test.each([
    ["1/0", /division by zero/],
    ["5 / (1/0)", /division by zero/],
    ["0/0", /not a number/],
    ["sqrt(-1)", /not a number/],
    ["1000!", /out of range/],
    ["5%(2)", /"5%\(2\)" could mean percent or remainder: write 10% \* 3 for percent, 10 mod 3/],
    ["10 % -3", /could mean percent or remainder/],
    ["50% 80", /could mean percent or remainder/],
    ["50% sqrt(4)", /could mean percent or remainder/],
    ["5'", /quotes are not supported/],
    ["max(1,234,567)", /could stand between thousands or arguments: write 1, 234 for two arguments, 1234 for one/],
    ["mean(1,234, 2)", /could stand between thousands or arguments/],
    ["std([1])", /the sample deviation of one number/],
    ["3^-900", /out of range/],
    ["1e-300*1e-300*1e-300*1e-300*1e-300", /out of range/],
    ["5 mod 0", /not a number/],
    ["2024-02-30", /2024-02-30 looks like a date: write 2024-02-30 \+ 7 days/],
    ["(2026-11-21 + 7) * 2", /looks like a date/],
    ["2026-02-30 + 7", /is not a valid date/],
    ["tan(90°)", /out of range/],
    ["log(1,000)", /not a number/],
    ["2026-02-30 - 2026-01-01", /2026-2-30 is not a valid date|2026-02-30 is not a valid date/],
    ["三加五", /syntax error .*Use digits, operators and functions only/],
    ["9^9^9^9", /out of range/],
    ["1e400", /out of range/],
    ["(-3)!", /not a number/],
    ["2 +", /syntax error/],
    ["2 3", /syntax error/],
    ["x + 1", /unknown name: "x"/],
    ["import(1)", /unknown function "import" \(known: .*sqrt/],
    ["constructor(1)", /unknown function "constructor"/],
    ["__proto__", /unknown name/],
    ["cos.constructor", /not supported/],
    ['cos.constructor("return process")()', /syntax error/],
    ['"text"', /not a number/],
    ["true", /not a number/],
    ["a = 1", /not supported/],
    ["f(x) = x", /not supported/],
    ["1:1000000000", /not supported/],
    ["[1,2,3]", /not supported/],
    ["mean([])", /wrong number of arguments/],
    ["mean([[1,2],[3,4]])", /not supported/],
    ["sqrt([4])", /not a number/],
    ["sqrt(1, 2)", /wrong number of arguments/],
    ["1; 2", /not supported/],
    ["{a: 1}", /not supported/],
    ["5 cm to inch", /not supported/],
    ["(".repeat(499), /./],
    ["[".repeat(999), /./],
    [`${"(".repeat(499)}1${")".repeat(499)}`, /nested too deeply|= 1/],
  ])("%s", async (expression, reason) => {
    const result = await calculate({ expression });
    expect(result.text).toMatch(reason);
    if (!/= 1$/.test(result.text)) expect(result).toMatchObject({ ok: false, error: { code: "tool" } });
  });

  test("neither an expression nor numbers", async () => {
    expect(await calculate({})).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
    expect((await calculate({ operations: ["mean"] }, "zh")).text).toContain("- numbers: 字段是必需的（缺失）");
  });
});

test("no text makes it throw or take long", async () => {
  const token = fc.constantFrom(
    "1",
    "2.5",
    "9",
    "+",
    "-",
    "*",
    "/",
    "^",
    "%",
    "!",
    "(",
    ")",
    "[",
    "]",
    ",",
    "mean",
    "sin",
    "e",
    "pi",
    " ",
    ".",
    "'",
    '"',
    "=",
    ";",
    ":",
    "x",
  );
  const text = fc.oneof(
    fc.string({ maxLength: 100 }),
    fc.array(token, { maxLength: 200 }).map((tokens) => tokens.join("")),
  );
  await fc.assert(
    fc.asyncProperty(text, async (expression) => {
      const cpuTime = startCpuClock();
      const result = await calculate({ expression });
      expect(cpuTime()).toBeLessThan(10_000);
      if (result.ok) expect(result.text).toMatch(/[=≈] -?\d/);
      else expect(result.error?.code).toBe("tool");
    }),
    { numRuns: 500 },
  );
});

test("several expressions are answered in one call, each on its own line", async () => {
  const result = await calculate({ expressions: ["0.1 + 0.2", "(5+7)/3", "2026-11-21 - 2026-11-01"] });
  expect(result).toMatchObject({ ok: true, text: "0.1 + 0.2 = 0.3\n(5+7)/3 = 4\n2026-11-21 - 2026-11-01 = 20 days" });
});

test("an error in one of several expressions does not lose the answers to the others", async () => {
  const result = await calculate({ expressions: ["1+1", "1/0", "2 +* 3", "2*3"] });
  expect(result.ok).toBe(true);
  const lines = result.text.split("\n");
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe("1+1 = 2");
  expect(lines[1]).toBe("1/0: This cannot be calculated: division by zero, or the result is out of range");
  expect(lines[2]).toMatch(/^2 \+\* 3: The expression cannot be calculated: /);
  expect(lines[3]).toBe("2*3 = 6");
});

test("a call fails when none of its several expressions has an answer", async () => {
  expect(await calculate({ expressions: ["1/0", "x+1"] })).toMatchObject({ ok: false });
});

test("a call that gives both expression and expressions is told to give one of them", async () => {
  const result = await calculate({ expression: "1+1", expressions: ["2+2"] });
  expect(result).toMatchObject({ ok: false });
  expect(result.text).toContain("give either expression or expressions, not both");
});

test("several expressions can use the list of numbers", async () => {
  const result = await calculate({ expressions: ["sum(numbers)", "max(numbers)"], numbers: [0.1, 0.2] });
  expect(result).toMatchObject({ ok: true });
  expect(result.text).toBe("sum(numbers) = 0.3\nmax(numbers) = 0.2");
});
