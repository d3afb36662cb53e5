import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/kit/json.ts";
import { createLogTransform } from "../../../../src/tools/builtin/log-transform/log-transform.ts";
import { readEntry } from "../../../../src/tools/builtin/log-transform/read-entry.ts";
import type { LineLimits } from "../../../../src/tools/files/read-lines.ts";
import { testContext } from "../../context.ts";
import { temporaryFiles } from "../files.ts";

// What is not kept any more must not count, whatever else the process has done.
setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function weighMemory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const now = () => Date.UTC(2026, 10, 21);
const transform = (root: string, args: JsonObject, limits?: Partial<LineLimits>, locale: "zh" | "en" = "en") =>
  createLogTransform({ roots: [root] }, locale, now, limits).run(args, testContext({ locale }));

const app = `2026-01-01 10:00:00 [INFO] server started on port 8080
2026-01-01 10:05:00 [WARN] slow query took 1532 ms
2026-01-01 10:30:00 [ERROR] connection 17 to db refused
    at connect (db.js:10)
    at main (index.js:3)
2026-01-01 11:00:00 [ERROR] connection 18 to db refused
2026-01-01 11:10:00 [INFO] request 5f2b6c1a done
2026-01-02 09:00:00 [FATAL] out of memory
`;

test("sums a log up: levels, time span, frequent messages, first and last error", async () => {
  await using files = await temporaryFiles({ "logs/app.log": app });
  expect(
    (await transform(files.path, { path: "logs/app.log" })).text,
  ).toBe(`logs/app.log: 8 lines, 6 log entries, format timestamped
Levels: FATAL 1, ERROR 2, WARN 1, INFO 2
Time span: 2026-01-01 10:00:00 to 2026-01-02 09:00:00 (no time zone in the log)
Most frequent messages:
  2× connection <n> to db refused (<n> = 17, 18) - first line 3, 2026-01-01 10:30:00; last line 6, 2026-01-01 11:00:00
  1× server started on port 8080 - line 1, 2026-01-01 10:00:00
  1× slow query took 1532 ms - line 2, 2026-01-01 10:05:00
  1× request 5f2b6c1a done - line 7, 2026-01-01 11:10:00
  1× out of memory - line 8, 2026-01-02 09:00:00
First error: 3: 2026-01-01 10:30:00 [ERROR] connection 17 to db refused
  at connect (db.js:10)
  at main (index.js:3)
Last error: 8: 2026-01-02 09:00:00 [FATAL] out of memory`);
});

test("an error is shown with what follows it: the first lines and the last", async () => {
  const trace = [
    "Traceback (most recent call last):",
    ...Array(20).fill('  File "a.py", line 1'),
    "ZeroDivisionError: zero",
  ];
  await using files = await temporaryFiles({ "a.log": `2026-01-01 10:00:00 ERROR bad\n${trace.join("\n")}\n` });
  expect((await transform(files.path, { path: "a.log" })).text).toMatch(
    /First error: 1: .*\n {2}Traceback .*\n {2}File "a\.py", line 1\n {2}…\n {2}ZeroDivisionError: zero$/,
  );
});

test("says the same in Chinese", async () => {
  await using files = await temporaryFiles({ "app.log": app });
  const { text } = await transform(files.path, { path: "app.log", level: "WARN" }, {}, "zh");
  expect(text).toContain(
    "app.log：8 行，识别出 6 条记录，格式 timestamped\n符合筛选条件：4 行\n级别：FATAL 1, ERROR 2, WARN 1\n时间范围：",
  );
  expect(text).toContain(
    "  2× connection <n> to db refused (<n> = 17, 18) - 首次第 3 行 2026-01-01 10:30:00，末次第 6 行 2026-01-01 11:00:00\n",
  );
  expect(text).toContain("2026-01-02 09:00:00（日志没有写时区）");
  expect(text).toContain("第一个错误：3: ");
});

describe("filters", () => {
  test("by level and the more severe", async () => {
    await using files = await temporaryFiles({ "app.log": app });
    const { text } = await transform(files.path, { path: "app.log", level: "ERROR", limit: 2 });
    expect(text).toContain("Lines that match the filter: 3");
    expect(text).toContain("Levels: FATAL 1, ERROR 2\n");
    expect(text.split("The first 2 of them:\n")[1]?.split("\n")).toEqual([
      "3: 2026-01-01 10:30:00 [ERROR] connection 17 to db refused",
      "6: 2026-01-01 11:00:00 [ERROR] connection 18 to db refused",
    ]);
  });

  test("by text, whatever its case, and by time, inclusive", async () => {
    await using files = await temporaryFiles({ "app.log": app });
    const filtered = async (args: JsonObject) =>
      /match the filter: (\d+)/.exec((await transform(files.path, { path: "app.log", ...args })).text)?.[1];
    expect(await filtered({ contains: "CONNECTION" })).toBe("2");
    expect(await filtered({ since: "2026-01-01 10:30:00", until: "2026-01-01T11:00:00Z" })).toBe("2");
    expect(await filtered({ until: "2026-01-01" })).toBe("5");
    expect(await filtered({ since: "2026-01-02" })).toBe("1");
    expect(await filtered({ contains: "nowhere" })).toBe("0");
  });

  test("refuse a time that is none, showing it", async () => {
    await using files = await temporaryFiles({ "app.log": app });
    const result = await transform(files.path, { path: "app.log", since: "yesterday", until: "2026-13-99" });
    expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
    expect(result.text).toMatch(/- since: must be a time.*"yesterday"\)\n- until: .*"2026-13-99"/);
  });
});

test("counts by hour in the order of time", async () => {
  await using files = await temporaryFiles({ "app.log": app });
  const { text } = await transform(files.path, { path: "app.log", group_by: "hour" });
  expect(text).toContain(
    "Count by hour:\n  3× 2026-01-01 10:00 - first line 1; last line 3\n  2× 2026-01-01 11:00 - first line 6; last line 7\n  1× 2026-01-02 09:00 - line 8",
  );
});

describe("formats", () => {
  const at = (text: string) => Date.parse(text);
  test.each([
    [
      '{"level":50,"time":1767261600000,"name":"api","msg":"boom"}',
      { format: "json", level: "ERROR", source: "api", message: "boom", time: 1767261600000 },
    ],
    [
      '{"timestamp":"2026-01-01T10:00:00+08:00","severity":"warning","message":"hot"}',
      { format: "json", level: "WARN", message: "hot", time: at("2026-01-01T02:00:00Z") },
    ],
    [
      "2026-01-01T10:00:00.123Z ERROR [worker-1] com.shop.Cart - failed",
      {
        format: "timestamped",
        level: "ERROR",
        source: "com.shop.Cart",
        message: "failed",
        time: at("2026-01-01T10:00:00.123Z"),
      },
    ],
    [
      "2026-01-01 10:00:00,123 [main] WARN  com.shop.Cart - slow",
      { level: "WARN", source: "com.shop.Cart", message: "slow" },
    ],
    ["2026-01-01 10:00:00,123 - app.db - CRITICAL - down", { level: "FATAL", source: "app.db", message: "down" }],
    ["[2026-01-01 10:00:00] local.ERROR: broken", { format: "timestamped", level: "ERROR" }],
    ["[ERROR] 2026-01-01 10:00:00 broken", { level: "ERROR", message: "broken", time: at("2026-01-01T10:00:00Z") }],
    ["2026/01/01 10:00:00 [error] 12#0: *1 upstream timed out", { level: "ERROR", time: at("2026-01-01T10:00:00Z") }],
    ["2026-01-01 10:00:00 Error reading file", { level: undefined, message: "Error reading file" }],
    ["ERROR:root:broken", { format: "levelled", level: "ERROR", source: "root", message: "broken" }],
    ["[warn] careful", { format: "levelled", level: "WARN", message: "careful" }],
    [
      '10.0.0.1 - bob [10/Oct/2026:13:55:36 +0800] "GET /x?a=1 HTTP/1.1" 502 17 "-" "curl"',
      {
        format: "access",
        level: "ERROR",
        source: "10.0.0.1",
        message: "GET /x?a=1 502",
        time: at("2026-10-10T05:55:36Z"),
      },
    ],
    [
      "Jan  2 03:04:05 host sshd[12]: error: bad key",
      { format: "syslog", level: "ERROR", source: "sshd", message: "error: bad key", time: at("2026-01-02T03:04:05Z") },
    ],
    [
      'time="2026-01-02T03:04:05Z" level=error msg="lost \\"db\\"" service=api',
      { format: "logfmt", level: "ERROR", source: "api", message: 'lost "db"', time: at("2026-01-02T03:04:05Z") },
    ],
    [
      "E0102 03:04:05.678901       1 main.go:10] broken",
      { format: "klog", level: "ERROR", source: "main.go:10", message: "broken", time: at("2026-01-02T03:04:05.678Z") },
    ],
    [
      "2026年1月2日 03:04:05 错误：连接失败",
      { format: "timestamped", level: "ERROR", message: "连接失败", time: at("2026-01-02T03:04:05Z") },
    ],
    ["【2026-01-02 03:04:05】【警告】磁盘快满", { format: "timestamped", level: "WARN", message: "磁盘快满" }],
    [
      "<35>1 2026-01-02T03:04:05Z host app 12 id - it broke",
      { format: "syslog", level: "ERROR", source: "app", message: "it broke" },
    ],
  ])("%s", (line, expected) => {
    expect(readEntry(line, 2026)).toMatchObject(expected);
  });

  test.each([
    "",
    "    at main (index.js:3)",
    "Error: boom",
    "Traceback (most recent call last):",
    "{broken json",
    "2026-99-99 10:00",
  ])("%j starts no entry, or one without a time", (line) => expect(readEntry(line, 2026)?.time).toBeUndefined());

  test("plain text is searched all the same", async () => {
    await using files = await temporaryFiles({ "notes.txt": "one\ntwo needles\nthree\n" });
    const { text } = await transform(files.path, { path: "notes.txt", contains: "needle" });
    expect(text).toBe(
      "notes.txt: 3 lines, 0 log entries, format plain text\nLines that match the filter: 1\nThe line:\n2: two needles",
    );
  });
});

test("more kinds of messages than are counted apart are told as such", async () => {
  const word = (n: number): string =>
    n.toString(26).replace(/\d/g, (digit) => String.fromCharCode(113 + Number(digit)));
  const lines = Array.from({ length: 5010 }, (_, n) => `2026-01-01 10:00:00 INFO ${word(n)}`);
  await using files = await temporaryFiles({ "x.log": lines.join("\n") });
  expect((await transform(files.path, { path: "x.log" })).text).toContain("... and more than 4995 others");
  expect((await transform(files.path, { path: "x.log" }, {}, "zh")).text).toContain("…还有 4995 种以上");
});

test.each([
  ["seconds", 1_767_225_600.5],
  ["milliseconds", 1_767_225_600_500],
  ["microseconds", 1_767_225_600_500_000],
  ["nanoseconds", 1_767_225_600_500_000_000],
])("a time in %s since 1970 is understood", (_, time) =>
  expect(readEntry(JSON.stringify({ time, msg: "m" }), 2026)?.time).toBe(Date.UTC(2026, 0, 1, 0, 0, 0, 500)),
);

describe("hostile files", () => {
  test("times out of range and endless depth in JSON do not end the reading", async () => {
    const deep = `${"[".repeat(15_000)}${"]".repeat(15_000)}`;
    const lines = ['{"time":1e300,"msg":"far"}', '{"time":-1e300,"msg":"far"}', `{"a":${deep}}`, `{"time":${deep}}`];
    await using files = await temporaryFiles({ "x.log": lines.join("\n") });
    const result = await transform(files.path, { path: "x.log", group_by: "day" });
    expect(result.ok).toBe(true);
    expect(result.text).toContain("x.log: 4 lines, 4 log entries, format json");
  });

  test("outside paths, links out and hidden files get one answer", async () => {
    await using files = await temporaryFiles({ ".env": "x", "a.log": "x" });
    for (const path of ["/etc/passwd", "../x", ".env"]) {
      expect((await transform(files.path, { path })).text).toBe(
        `"${path}" was not found: a path must exist within the allowed directories, and not be hidden or hold secrets.`,
      );
    }
  });

  test("binary files are refused", async () => {
    await using files = await temporaryFiles({ "x.log": Buffer.from([0, 1, 2, 0]) });
    expect(await transform(files.path, { path: "x.log" })).toMatchObject({
      ok: false,
      text: "x.log is not a text file.",
    });
  });

  test("one endless line and control characters are shown short and printable", async () => {
    const line = `2026-01-01 10:00:00 ERROR \u001b]0;evil\u0007${"x".repeat(3_000_000)}`;
    await using files = await temporaryFiles({ "x.log": `${line}\n${line}` });
    const { text } = await transform(files.path, { path: "x.log", level: "ERROR" });
    expect(text.length).toBeLessThan(3000);
    expect(text).not.toContain("\u001b");
    expect(text).toContain("x.log: 2 lines, 2 log entries");
  });

  test("a file beyond the limit is read in part, and the answer says so", async () => {
    await using files = await temporaryFiles({ "x.log": app.repeat(30) });
    await truncate(join(files.path, "x.log"), 50_000_000_000);
    const { text } = await transform(files.path, { path: "x.log" }, { totalBytes: 1_000_000 });
    expect(text).toContain("Partial: a limit on size or time");
  });

  test("a large file is streamed: memory stays far below its size", async () => {
    await using files = await temporaryFiles();
    const stream = createWriteStream(join(files.path, "big.log"));
    // Long lines, of which only the beginning is looked at: reading them takes little time.
    const rest = "-".repeat(1200);
    for (let block = 0; block < 60; block++) {
      const lines = Array.from(
        { length: 1000 },
        (_, n) =>
          `2026-01-01 10:00:00 [INFO] message ${"abcdefghij"[n % 10]} number ${block * 1000 + n + 10_000} ok${rest}`,
      );
      if (!stream.write(`${lines.join("\n")}\n`)) await once(stream, "drain");
    }
    stream.end();
    await once(stream, "finish");
    const before = weighMemory();
    const held: number[] = [];
    // The tool looks at its signal between chunks of 64 KB, of which the file has about 1,150.
    const { signal } = new AbortController();
    let chunks = 0;
    signal.throwIfAborted = () => {
      if (++chunks % 250 === 0) held.push(weighMemory() - before);
    };
    const tool = createLogTransform({ roots: [files.path] }, "en", now, { milliseconds: 100_000 });
    const { text } = await tool.run({ path: "big.log" }, testContext({ signal }));
    expect(text).toContain("big.log: 60000 lines, 60000 log entries");
    expect(text).toContain("  6000× message a number <n> ok---");
    expect(held).toHaveLength(4);
    // Of 76 MB.
    expect(Math.max(...held)).toBeLessThan(10_000_000);
  }, 120_000);

  test("a cancel stops the reading", async () => {
    await using files = await temporaryFiles({ "x.log": app });
    const context = testContext({ signal: AbortSignal.abort(new Error("stop")) });
    await expect(
      createLogTransform({ roots: [files.path] }, "en", now).run({ path: "x.log" }, context),
    ).rejects.toThrow("stop");
  });
});

const auth = `2026-11-20 10:00:01 ERROR [auth] login failed for user u125
2026-11-20 10:00:02 ERROR [auth] login failed for user u7
2026-11-20 10:01:00 [billing] WARN invoice of user u125 is late
2026-11-20 10:02:00 INFO [pay.http] call by user u125
2026-11-20 10:03:00 INFO started
`;

test("a word in brackets after the level is the source of the entry", async () => {
  await using files = await temporaryFiles({ "app.log": auth });
  const { text } = await transform(files.path, { path: "app.log", group_by: "source" });
  expect(text).toMatch(
    /Count by source:\n {2}2× auth - .*\n {2}1× billing - .*\n {2}1× pay\.http - .*\n {2}1× \(none\) - line 5, /,
  );
});

test("lines are counted by what the group of a pattern matches, so that counts per user are possible", async () => {
  await using files = await temporaryFiles({ "app.log": auth });
  const { text } = await transform(files.path, { path: "app.log", pattern: "user (u\\d+)" });
  expect(text).toContain(
    "Count by user (u\\d+) (4 of 5 lines match, 2 different):\n  3× u125 - first line 1, 2026-11-20 10:00:01; last line 4, 2026-11-20 10:02:00\n  1× u7 - line 2, 2026-11-20 10:00:02",
  );
});

test("a filter and a pattern count only the lines that pass the filter", async () => {
  await using files = await temporaryFiles({ "app.log": auth });
  const { text } = await transform(files.path, { path: "app.log", level: "ERROR", pattern: "u\\d+" });
  expect(text).toContain(
    "Count by u\\d+ (2 of 2 lines match, 2 different):\n  1× u125 - line 1, 2026-11-20 10:00:01\n  1× u7 - line 2, 2026-11-20 10:00:02",
  );
});

test("a pattern that matches no line is said to match none", async () => {
  await using files = await temporaryFiles({ "app.log": auth });
  const { text } = await transform(files.path, { path: "app.log", pattern: "order (\\d+)" });
  expect(text).toContain("Count by order (\\d+): no line matches.");
});

test.each([
  ["user (u\\d+", "is not a valid regular expression"],
  ["(?<=user )u\\d+", "look-around, back-references"],
  ["(user) (u\\d+)", "must have one group, not 2"],
])("the pattern %s is refused with the reason", async (pattern, reason) => {
  await using files = await temporaryFiles({ "app.log": auth });
  const result = await transform(files.path, { path: "app.log", pattern });
  expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
  expect(result.text).toContain(reason);
});

test("a pattern that backtracks without end elsewhere is matched in linear time", async () => {
  await using files = await temporaryFiles({ "app.log": `${"a".repeat(5000)}!\n`.repeat(20) });
  const { text } = await transform(files.path, { path: "app.log", pattern: "((?:a+)+)$" });
  expect(text).toContain("Count by ((?:a+)+)$");
});

test("a pattern that takes too long ends with the part that was read, which is said to be partial", async () => {
  await using files = await temporaryFiles({ "app.log": auth.repeat(4000) });
  const { text } = await transform(files.path, { path: "app.log", pattern: "((?:a?){500}a{400})" });
  expect(text).toContain("Partial: a limit on size or time was reached before the end.");
});

test("counts by message are not printed a second time as the most frequent messages", async () => {
  await using files = await temporaryFiles({ "app.log": app });
  const { text } = await transform(files.path, { path: "app.log", group_by: "message" });
  expect(text.split("2× connection <n> to db refused")).toHaveLength(2);
  expect(text).not.toContain("Most frequent messages:");
});

describe("what is counted", () => {
  const line = (minute: number, rest: string) => `2026-11-20 09:${String(minute).padStart(2, "0")}:00 ${rest}`;
  const storm = [
    line(0, "ERROR cache miss storm"),
    ...Array.from({ length: 5 }, (_, n) =>
      line(n + 1, `ERROR db timeout after 3000 ms on shard ${n + 1} by 10.0.0.${n}`),
    ),
    line(30, "INFO ok"),
  ].join("\n");

  test("shows since when and until when each value occurred, a number all share, and the range of one that differs", async () => {
    await using files = await temporaryFiles({ "app.log": storm });
    const { text } = await transform(files.path, { path: "app.log", level: "ERROR", group_by: "message", limit: 1 });
    expect(text).toBe(`app.log: 7 lines, 7 log entries, format timestamped
Lines that match the filter: 6, all ERROR
Time span: 2026-11-20 09:00:00 to 2026-11-20 09:05:00 (no time zone in the log)
Count by message:
  5× db timeout after 3000 ms on shard <n1> by <n2> (<n1> = 1..5; <n2> = 10.0.0.0, 10.0.0.1, 10.0.0.2, …) - first line 2, 2026-11-20 09:01:00; last line 6, 2026-11-20 09:05:00
  ... and 1 more (1 line)
The first of them:
1: 2026-11-20 09:00:00 ERROR cache miss storm`);
  });

  test("is told once, without lines of its own when none are wanted", async () => {
    await using files = await temporaryFiles({ "app.log": storm });
    const { text } = await transform(files.path, { path: "app.log", level: "ERROR", group_by: "level", limit: 0 });
    expect(text.split("\n").slice(1)).toEqual([
      "Lines that match the filter: 6",
      "Time span: 2026-11-20 09:00:00 to 2026-11-20 09:05:00 (no time zone in the log)",
      "Count by level:",
      "  6× ERROR - first line 1, 2026-11-20 09:00:00; last line 6, 2026-11-20 09:05:00",
    ]);
  });

  test.each([
    [["2026-01-02T03:04:05Z INFO a"], "(UTC)", "（UTC）"],
    [
      ["2026-01-02 11:04:05+08:00 INFO a"],
      "(in UTC; zones in the log: +08:00)",
      "（已换算为 UTC；日志的时区：+08:00）",
    ],
    [
      ["2026-01-02 11:04:05 +0800 INFO a", "2026-01-02 11:04:05 INFO b"],
      "(in UTC; zones in the log: +0800; times without a zone count as UTC)",
      "（已换算为 UTC；日志的时区：+0800；没写时区的按 UTC 计）",
    ],
    [['{"time":1767261600000,"msg":"m"}'], "(UTC)", "（UTC）"],
  ])("the zone of %j is said plainly", async (lines, en, zh) => {
    await using files = await temporaryFiles({ "app.log": lines.join("\n") });
    expect((await transform(files.path, { path: "app.log" })).text).toContain(en);
    expect((await transform(files.path, { path: "app.log" }, {}, "zh")).text).toContain(zh);
  });
});

test("one line is told in the singular", async () => {
  await using files = await temporaryFiles({ "app.log": auth });
  const { text } = await transform(files.path, { path: "app.log", contains: "u7", pattern: "u\\d+" });
  expect(text).toContain("The line:\n2: ");
  expect(text).toContain("(1 of 1 line matches, 1 different)");
});
