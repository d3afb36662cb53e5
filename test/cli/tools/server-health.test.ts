import { expect, test } from "vitest";
import { toServerFinding } from "../../../src/cli/doctor/findings.ts";
import { describeHealth } from "../../../src/cli/tools/server-health.ts";
import { DuetError } from "../../../src/kit/errors.ts";

type Server = Parameters<typeof describeHealth>[0];

const well: Server = {
  name: "notes",
  transport: "stdio",
  state: "ready",
  toolCount: 2,
  error: null,
  lastError: null,
  problems: [],
  warnings: [],
  waiting: 0,
  startMs: 120,
  restarts: 0,
  retryInMs: null,
  serverInfo: null,
  protocolVersion: "2025-11-25",
  offers: { prompts: false, resources: false, completions: false },
};

test("of a server that is well there is nothing to tell", () => {
  expect(describeHealth(well)).toEqual([]);
  expect(toServerFinding(well)).toMatchObject({ state: "ok", text: { en: "stdio · 2 tools · 120 ms" } });
});

test("restarts, tools that wait and warnings are told, each in both languages", () => {
  const warning = { zh: "工具 add：含有隐藏字符", en: "The tool add: a hidden character" };
  const told = describeHealth({ ...well, restarts: 2, waiting: 1, warnings: [warning] });
  expect(told.map(({ en }) => en)).toEqual([
    "was restarted 2 times",
    "1 tool is new or changed and must be approved first: duet tools approve notes",
    "The tool add: a hidden character",
  ]);
  expect(told.map(({ zh }) => zh)).toEqual([
    "已重新启动 2 次",
    "1 个工具是新的或有变化，等待批准：duet tools approve notes",
    "工具 add：含有隐藏字符",
  ]);
});

test("a server that rests says when it can be tried again", () => {
  const error = new DuetError({ code: "server", text: { zh: "没有了", en: "gone" } });
  const failed: Server = { ...well, state: "failed", error, retryInMs: 3200 };
  expect(describeHealth(failed)).toEqual([{ zh: "4 秒后可再试", en: "it can be tried again in 4 s" }]);
  expect(toServerFinding(failed).state).toBe("failed");
});

test("the doctor does not hold it against a lazy server that it has not started", () => {
  const lazy = toServerFinding({ ...well, state: "idle", startMs: null });
  expect(lazy).toMatchObject({ state: "none", text: { en: "stdio · 2 tools · starts on its first call" } });
});
