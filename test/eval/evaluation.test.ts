import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import type { Models } from "../../src/agent/run.ts";
import { renderReport } from "../../src/cli/eval/report-lines.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { type Model, replaceStream } from "../../src/core/model/model.ts";
import type { CaseFile } from "../../src/eval/case-file.ts";
import { compareReports, refuseOtherReport } from "../../src/eval/compare-reports.ts";
import type { EvaluationOptions } from "../../src/eval/evaluation-state.ts";
import { listPromptSets, type ModelPair, parseModelPair } from "../../src/eval/matrix.ts";
import { readCaseFile } from "../../src/eval/read-case-file.ts";
import { readRecording } from "../../src/eval/recording/read-recording.ts";
import { openRecordingWriter } from "../../src/eval/recording/recording-writer.ts";
import { createReport, hasMetTargets, type Report } from "../../src/eval/report.ts";
import { openResultsFile } from "../../src/eval/results-file.ts";
import { runEvaluation } from "../../src/eval/run-evaluation.ts";
import { hashSetup, refuseOtherSetup } from "../../src/eval/setup-digest.ts";
import { computeShare, computeSignTest } from "../../src/eval/statistics.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { createCaseModel, createJudgeModel, type PlantedFault } from "../fakes/eval-models.ts";
import { scriptedModel } from "../fakes/model.ts";
import { configFile, temporaryFolder } from "../fakes/program.ts";

const starter = fileURLToPath(new URL("../../src/eval/starter/cases.json", import.meta.url));
const pair = parseModelPair("fake/cheap+fake/strong");
const alone = parseModelPair("fake/strong");

let file: CaseFile;
let config: Config;

beforeAll(async () => {
  file = await readCaseFile(starter);
});

/** Seven of a wrong tool, five of a wrong argument, and one model that does not answer in time. */
const planted = new Map<string, PlantedFault>([
  ...["weather-zh-1", "poi-zh-1", "file-zh-1", "file-en-2", "memory-zh-1", "search-zh-1", "search-en-5"].map(
    (id) => [id, "wrong-tool"] as const,
  ),
  ...["weather-zh-2", "poi-zh-3", "file-en-1", "memory-en-2", "search-en-3"].map(
    (id) => [id, "wrong-argument"] as const,
  ),
  ["route-en-1", "time-out"],
]);

/** Evaluates scripted models, and gives the report with everything that was asked of them. */
async function evaluate(
  over: Partial<EvaluationOptions> & { faults?: ReadonlyMap<string, PlantedFault> } = {},
): Promise<Report> {
  const home = await temporaryFolder();
  const environment = { PATH: process.env.PATH, HOME: home, OLLAMA_BASE_URL: "http://127.0.0.1:9/v1", A_KEY: secret };
  config = await loadConfig(
    { config: await configFile({ locale: "en", email: { host: "127.0.0.1", port: 9, from: "a@example.com" } }) },
    environment,
  );
  const { faults, ...given } = over;
  const cases = given.file?.cases ?? file.cases;
  const options: EvaluationOptions = {
    ...{ config, file, pairs: [pair], repeat: 1, parallel: 8, signal: new AbortController().signal, warn() {} },
    promptSets: listPromptSets(given.file ?? file, undefined),
    openModels: async (wanted) => openModels(wanted, cases, faults),
    ...given,
  };
  const evaluation = await runEvaluation(options);
  const { pairs, promptSets, repeat } = options;
  return createReport({
    ...{ evaluation, pairs, promptSets, repeat },
    cases: options.file.cases.length,
    targets: options.file.targets,
  });
}

const secret = "sk-c4na7y-0123456789abcdef";

function openModels(wanted: ModelPair, cases: CaseFile["cases"], faults?: ReadonlyMap<string, PlantedFault>): Models {
  if (wanted.name === alone.name) {
    const model = createCaseModel("strong", { cases, role: "alone", faults, price: 10 });
    return { functionCall: model, answer: model };
  }
  return {
    functionCall: createCaseModel("cheap", { cases, role: "decide", faults, price: 1 }),
    answer: createCaseModel("strong", { cases, role: "answer", faults, price: 10 }),
  };
}

function toRounded(share: { passed: number; of: number; low: number | null; high: number | null } | undefined) {
  const round = (value: number | null | undefined): number => Number((value ?? Number.NaN).toFixed(4));
  return [share?.passed, share?.of, round(share?.low), round(share?.high)];
}

test("planted faults come out as exactly their number, with the interval of Wilson", async () => {
  const report = await evaluate({ faults: planted });
  const [row] = report.rows;
  expect(row?.failures).toEqual({
    ...{ "wrong-tool": 7, "wrong-arguments": 5, timeout: 1 },
    ...{ error: 0, limit: 0, answer: 0, "not-judged": 0 },
  });
  expect(toRounded(row?.success)).toEqual([47, 60, 0.6638, 0.8688]);
  expect(toRounded(row?.tool_choice)).toEqual([53, 60, 0.7782, 0.9423]);
  // Fourteen cases say nothing of arguments, and those with a wrong tool are not asked for them.
  expect(toRounded(row?.arguments)).toEqual([34, 39, 0.7329, 0.944]);
  expect(hasMetTargets(report)).toBe(false);
  const failed = report.attempts.filter(({ succeeded }) => !succeeded).map(({ case: id }) => id);
  expect(failed.sort()).toEqual([...planted.keys()].sort());
  expect(report.attempts.find(({ case: id }) => id === "weather-zh-2")?.detail).toBe("amap__maps_weather: city");
});

test("without faults all 60 succeed, and the pair is compared with its answer model alone by request tokens", async () => {
  // How long a call takes is the machine's: one limit is met, and one never.
  const limitCalls = (callSeconds: number) => file.targets && { ...file.targets, callSeconds };
  const report = await evaluate({ file: { ...file, targets: limitCalls(600) }, pairs: [pair, alone] });
  expect(report.attempts.filter(({ succeeded }) => !succeeded)).toEqual([]);
  const [two, one] = report.rows;
  expect(toRounded(two?.success).slice(0, 2)).toEqual([60, 60]);
  const requests = two?.request_tokens;
  expect(requests?.total).toBe((requests?.function_call ?? 0) + (requests?.answer ?? 0));
  // What is compared: the tokens of all requests to the strong model, with and without the cheap one before it.
  const saved = 1 - (requests?.answer ?? 0) / (one?.request_tokens.total ?? 1);
  expect(two?.against_single).toMatchObject({ pair: "fake/strong", answer_model: saved });
  expect(saved).toBeGreaterThan(0.3);
  expect(two?.targets).toContainEqual({ name: "tokenSaving", wanted: 0.3, measured: saved, met: true });
  // The scripts, and so the estimates, are the same each time, whichever cases came before.
  const routes = file.cases.filter(({ group }) => group === "amap");
  const again = await evaluate({
    file: { ...file, cases: routes, targets: limitCalls(0.000_001) },
    pairs: [pair, alone],
  });
  const before = report.attempts.filter(({ group }) => group === "amap");
  expect(again.attempts.map(({ request_tokens }) => request_tokens)).toEqual(
    before.map(({ request_tokens }) => request_tokens),
  );
  expect(two?.phases.answer).toMatchObject({ turns: 60, input: two?.tokens.answer.input });
  expect(two?.phases.decide?.input).toBe(two?.tokens.function_call.input);
  expect((two?.phases.decide?.cost_usd ?? 0) + (two?.phases.answer?.cost_usd ?? 0)).toBeCloseTo(two?.cost_usd ?? 0);
  expect(two?.cost_usd).toBeGreaterThan(0);
  expect(two?.cost_usd ?? 0).toBeLessThan(one?.cost_usd ?? 0);
  expect(hasMetTargets(report)).toBe(true);
  const unmet = again.rows[0]?.targets.filter(({ met }) => !met);
  expect(unmet).toMatchObject([{ name: "callSeconds", wanted: 0.000_001 }]);
  expect(hasMetTargets(again)).toBe(false);
});

test("a recording gives the same report without any model, and refuses what it does not hold", async () => {
  const recording = join(await temporaryFolder(), "run.jsonl");
  const twelve = { ...file, cases: file.cases.filter((_, index) => index % 5 === 0) };
  const faults = new Map<string, PlantedFault>([["weather-zh-1", "wrong-tool"]]);
  const first = await evaluate({
    ...{ file: twelve, faults, repeat: 2 },
    openWriter: ({ redact }) => openRecordingWriter(recording, { redact, goesOn: false }),
  });
  const noModels = (): never => {
    throw new Error("no model may be opened");
  };
  const replay = await readRecording(recording);
  const again = await evaluate({ file: twelve, repeat: 2, replay, openModels: noModels });
  expect(again).toEqual(first);
  expect(first.attempts).toHaveLength(24);
  // Another question, and a tool that is described in other words.
  const changed = twelve.cases.map((one) =>
    one.id === "calc-zh-1" ? { ...one, question: one.question.replace("1234", "1235") } : one,
  );
  const refused = await evaluate({ file: { ...twelve, cases: changed }, replay, openModels: noModels });
  expect(refused).toMatchObject({ complete: false });
  expect(refused.attempts).toHaveLength(11);
  expect(refused.refusals).toHaveLength(1);
  expect(refused.refusals[0]).toMatch(
    /calc-zh-1 .*does not hold this request to fake\/cheap; first difference: messages\[\d\]\.content \(recorded: .*1234.*asked: .*1235/,
  );
  expect(hasMetTargets(refused)).toBe(false);
});

test("a run that its limit ends before the calls is a time-out, counts for no choice of tools, and replays so", async () => {
  const recording = join(await temporaryFolder(), "run.jsonl");
  const [one] = file.cases.filter(({ id }) => id === "weather-zh-1");
  const short: CaseFile = { ...file, cases: one ? [{ ...one, timeout: 0.3 }] : [] };
  const report = await evaluate({
    file: short,
    faults: new Map([["weather-zh-1", "hang"]]),
    openWriter: ({ redact }) => openRecordingWriter(recording, { redact, goesOn: false }),
  });
  expect(renderReport(report, [], [], "en").at(-1)).toMatch(/^1 case, 1 time each, 1 row;/);
  expect(report.attempts).toMatchObject([{ failure: "timeout", tool_choice: null, arguments: null }]);
  expect(report.rows[0]?.tool_choice).toEqual({ passed: 0, of: 0, rate: null, low: null, high: null });
  expect(await evaluate({ file: short, replay: await readRecording(recording) })).toEqual(report);
});

test("each set of prompts is a row, with the judge's marks, and both are in the recording", async () => {
  const [folder, recording] = [await temporaryFolder(), join(await temporaryFolder(), "run.jsonl")];
  writeFileSync(join(folder, "answer.md"), "In two words. {cite}\n{untrusted}");
  const rubric = { judge: "Says how many.", atLeast: 0.5 };
  const judged: CaseFile = {
    ...file,
    judge: "fake/judge",
    prompts: { short: { directory: folder } },
    cases: file.cases.slice(0, 2).map((one) => ({ ...one, answer: [rubric] })),
  };
  const report = await evaluate({
    file: judged,
    openWriter: ({ redact }) => openRecordingWriter(recording, { redact, goesOn: false }),
    openModels: async (wanted) => {
      const judge = createJudgeModel();
      return wanted.name === "fake/judge" ? { functionCall: judge, answer: judge } : openModels(wanted, judged.cases);
    },
  });
  expect(report.rows.map(({ prompts, quality }) => ({ prompts, quality }))).toEqual([
    { prompts: "default", quality: { mean: 0.6, of: 2 } },
    { prompts: "short", quality: { mean: 0.6, of: 2 } },
  ]);
  expect(report.rows[0]?.judge_cost_usd).toBeCloseTo(0.0002);
  // The judge's tokens are none of the pair's.
  expect(report.rows[0]?.request_tokens.total).toBe(
    (report.rows[0]?.request_tokens.function_call ?? 0) + (report.rows[0]?.request_tokens.answer ?? 0),
  );
  const text = readFileSync(recording, "utf8");
  expect(text.split("In two words.").length).toBe(3);
  const replay = await readRecording(recording);
  expect(await evaluate({ file: judged, replay })).toEqual(report);
  const models = new Map([...replay.models].map(([name, { judge: _, ...others }]) => [name, others]));
  const unjudged = await evaluate({ file: judged, replay: { ...replay, models } });
  expect(unjudged).toMatchObject({ complete: false, attempts: [] });
  expect(unjudged.refusals[0]).toContain("the recording holds no model that judges");
});

test("known keys are not in a recording", async () => {
  const recording = join(await temporaryFolder(), "run.jsonl");
  const [one] = file.cases;
  const question = `${one?.question} ${secret}`;
  const cases = one ? [{ ...one, question }] : [];
  await evaluate({
    file: { ...file, cases },
    openWriter: ({ redact }) => openRecordingWriter(recording, { redact, goesOn: false }),
  });
  const text = readFileSync(recording, "utf8");
  expect(text).toContain("[redacted A_KEY]");
  expect(text).not.toContain(secret);
  // The same question fits what was recorded of it.
  const replay = await readRecording(recording);
  expect(await evaluate({ file: { ...file, cases }, replay })).toMatchObject({ complete: true, refusals: [] });
});

test("an evaluation that was ended goes on where it was, and asks nothing twice", async () => {
  const results = join(await temporaryFolder(), "report.attempts.jsonl");
  const asked: string[] = [];
  const some = { ...file, cases: file.cases.slice(0, 24) };
  const openCounted: EvaluationOptions["openModels"] = async (wanted) => openModels(wanted, file.cases);
  const stop = new AbortController();
  const begun = await evaluate({
    file: some,
    parallel: 3,
    results: await openResultsFile(results, { goesOn: false, setup: { judge: "1" } }),
    openModels: openCounted,
    signal: stop.signal,
    onResult: (result, done) => {
      asked.push(result.case);
      if (done === 9) stop.abort(new Error("killed"));
    },
  });
  expect(begun).toMatchObject({ complete: false, stopped_by: "signal" });
  // A process that is killed may leave half a line.
  writeFileSync(results, `${readFileSync(results, "utf8")}{"key": "fake/che`);
  await expect(openResultsFile(results, { goesOn: false, setup: { judge: "1" } })).rejects.toThrow(
    /has \d+ results already/,
  );
  const resumed = await openResultsFile(results, { goesOn: true, setup: { judge: "1", "prompts new": "2" } });
  expect(resumed.earlier.size).toBe(asked.length);
  const other = openResultsFile(results, { goesOn: true, setup: { judge: "2" } });
  await expect(other).rejects.toThrow("what its results were made with has changed: judge (allowed: change it back");
  const whole = await evaluate({
    file: some,
    results: resumed,
    openModels: openCounted,
    onResult: (result) => asked.push(result.case),
  });
  expect(whole).toMatchObject({ complete: true, stopped_by: null });
  expect(asked.toSorted()).toEqual(some.cases.map(({ id }) => id).toSorted());
  expect(whole.attempts.map(({ case: id }) => id)).toEqual(some.cases.map(({ id }) => id));
});

test("what an attempt that was cut off has cost is kept for --resume", async () => {
  const results = join(await temporaryFolder(), "report.attempts.jsonl");
  const stop = new AbortController();
  const [one] = file.cases;
  const cases = one ? [one] : [];
  await evaluate({
    ...{ file: { ...file, cases }, signal: stop.signal },
    results: await openResultsFile(results, { goesOn: false, setup: {} }),
    openModels: async (wanted) => {
      const models = openModels(wanted, cases);
      const answer = replaceStream(models.answer, async () => {
        stop.abort(new Error("killed"));
        throw stop.signal.reason;
      });
      return { ...models, answer };
    },
  });
  const resumed = await openResultsFile(results, { goesOn: true, setup: {} });
  expect(resumed.earlier.size).toBe(0);
  expect(resumed.lost).toBeGreaterThan(0);
  expect(await evaluate({ ...{ file: { ...file, cases }, results: resumed }, budget: resumed.lost })).toMatchObject({
    ...{ stopped_by: "budget", attempts: [] },
  });
});

test("a budget ends an evaluation, which names models without a price", async () => {
  const report = await evaluate({ budget: 0.02, parallel: 1 });
  expect(report).toMatchObject({ complete: false, stopped_by: "budget" });
  expect(report.attempts.length).toBeGreaterThan(0);
  const costs = report.attempts.map(({ cost_usd }) => cost_usd ?? 0);
  const sum = (some: readonly number[]): number => some.reduce((total, cost) => total + cost, 0);
  expect(sum(costs.slice(0, -1))).toBeLessThan(0.02);
  const free = (): Promise<Models> =>
    Promise.resolve({
      functionCall: { ...createCaseModel("free", { cases: file.cases, role: "decide" }), cost: () => null },
      answer: createCaseModel("strong", { cases: file.cases, role: "answer" }),
    });
  await expect(evaluate({ budget: 1, openModels: free })).rejects.toThrow("--budget: fake/free has no price");
});

test("attempts that run beside each other ask nothing more once they have used the budget together", async () => {
  const budget = 0.002;
  let spent = 0;
  const before: number[] = [];
  const count = (model: Model): Model =>
    replaceStream(model, async (request, onEvent, signal) => {
      before.push(spent);
      const turn = await model.stream(request, onEvent, signal);
      spent += model.cost?.(turn.usage) ?? 0;
      return turn;
    });
  const report = await evaluate({
    ...{ budget, parallel: 8 },
    openModels: async (wanted) => {
      const { functionCall, answer } = openModels(wanted, file.cases);
      return { functionCall: count(functionCall), answer: count(answer) };
    },
  });
  expect(report).toMatchObject({ complete: false, stopped_by: "budget" });
  expect(spent).toBeGreaterThanOrEqual(budget);
  expect(before.filter((sum) => sum >= budget)).toEqual([]);
});

test("a refused key ends an evaluation at once, and counts for no case", async () => {
  let asked = 0;
  const refused = (): never => {
    asked += 1;
    throw new DuetError({ code: "auth", text: { zh: "密钥被拒绝", en: "the key was refused" } });
  };
  const models = openModels(pair, file.cases);
  const openRefused = async (): Promise<Models> => ({
    ...models,
    functionCall: { ...models.functionCall, stream: async () => refused(), call: async () => refused() },
  });
  await expect(evaluate({ parallel: 2, openModels: openRefused })).rejects.toThrow("the key was refused");
  expect(asked).toBeLessThanOrEqual(2);
});

test("what would fail behind paid attempts is refused before the first, with its place", async () => {
  const folder = await temporaryFolder();
  let opened = 0;
  const openModels = async (): Promise<never> => {
    opened += 1;
    throw new DuetError({ code: "config", text: { zh: "不行", en: "not allowed" } });
  };
  const promptSets = listPromptSets({ prompts: { short: { directory: join(folder, "none") } } }, undefined);
  await expect(evaluate({ promptSets, openModels })).rejects.toThrow(/prompts\.directory: .*none: cannot be read/);
  const offered = [{ ...none, id: "typo", question: "x", tools: ["calculater"] }];
  await expect(evaluate({ file: { cases: offered, repeat: 1 }, openModels })).rejects.toThrow(
    'typo: there is no tool "calculater"',
  );
  expect(opened).toBe(0);
  await expect(evaluate({ openModels })).rejects.toThrow("fake/cheap+fake/strong: not allowed");
});

test("a model that judges and is refused ends an evaluation, and counts for no pair", async () => {
  const cases = file.cases.slice(0, 2).map((one) => ({ ...one, answer: [{ judge: "Says how many.", atLeast: 0.5 }] }));
  const refused = async (): Promise<never> => {
    throw new DuetError({ code: "model_not_found", text: { zh: "没有这个模型", en: "there is no such model" } });
  };
  const judge = { ...createJudgeModel(), call: refused, stream: refused };
  const openJudge: EvaluationOptions["openModels"] = async (wanted) =>
    wanted.name === "fake/judge" ? { functionCall: judge, answer: judge } : openModels(wanted, cases);
  const judged = { ...file, judge: "fake/judge", cases };
  await expect(evaluate({ file: judged, openModels: openJudge })).rejects.toThrow("there is no such model");
});

test("a recording whose last line was cut off can be gone on with, and read", async () => {
  const recording = join(await temporaryFolder(), "run.jsonl");
  const times = { total_ms: 1, first_text_ms: null, calls_ms: [], phases: {} };
  const redact = (text: string): string => text;
  await (await openRecordingWriter(recording, { redact, goesOn: false })).addAttempt("first", [], times);
  writeFileSync(recording, `${readFileSync(recording, "utf8")}{"attempt": {"na`);
  await (await openRecordingWriter(recording, { redact, goesOn: true })).addAttempt("second", [], times);
  expect([...(await readRecording(recording)).attempts.keys()]).toEqual(["first", "second"]);
  writeFileSync(recording, readFileSync(recording, "utf8").replace('"version":1', '"version":99'));
  await expect(readRecording(recording)).rejects.toThrow("run.jsonl:1: is a recording of version 99 (allowed: 1)");
});

test("each fault of a file of cases is told with its field, before anything is asked", async () => {
  const name = join(await temporaryFolder(), "cases.json");
  const read = async (written: object): Promise<string> => {
    writeFileSync(name, JSON.stringify(written));
    return readCaseFile(name).then(
      () => "read",
      (thrown: unknown) => (thrown instanceof DuetError ? thrown.text.en : String(thrown)),
    );
  };
  const ask = (more: object): object => ({ cases: [{ id: "a", question: "x", ...more }] });
  const call = (value: unknown): object => ask({ calls: [{ tool: "t", arguments: { list: [{ path: value }] } }] });
  const place = "cases.json: cases[0]";
  expect(await read({})).toBe("cases.json: cases: is missing (a list of 1 to 10000 cases)");
  expect(await read(ask({ id: "周" }))).toContain('"周" is not allowed (allowed: 1 to 100 of the characters');
  expect(await read(ask({ question: "  " }))).toContain("allowed: a text that is not all blanks");
  expect(await read({ ...ask({}), judge: "a/b+c" })).toContain("allowed: one model, as provider/model");
  expect(await read({ ...ask({}), judge: "a/b" })).toBe("read");
  expect(() => parseModelPair("")).toThrow('"" is no pair of models');
  expect(await read(ask({ answer: [{ contains: "a", lacks: "b" }] }))).toContain(`${place}.answer[0]: is no check`);
  expect(await read(ask({ answer: [{ matches: "(" }] }))).toContain(`${place}.answer[0].matches: Invalid regular`);
  const schema = { type: "object", properties: { day: { type: "string", pattern: "(" } } };
  expect(await read(ask({ answer: [{ schema }] }))).toContain(`${place}.answer[0].schema: "pattern"`);
  const path = `${place}.calls[0].arguments.list[0].path`;
  expect(await read(call({ $matches: "(" }))).toContain(`${path}.$matches: Invalid regular expression`);
  expect(await read(call({ $match: "x" }))).toContain(`${path}: a key with $ is wrong`);
  expect(await read(call({ $oneOf: "x" }))).toContain(`${path}: a key with $ is wrong`);
  expect(await read(call({ $oneOf: ["x", { $matches: "^y" }] }))).toBe("read");
});

test("a call of a real tool that needs consent is not made", async () => {
  const recording = join(await temporaryFolder(), "run.jsonl");
  const mail = { tool: "send_email", arguments: { to: ["ada@example.com"], subject: "Hi", text: "Ten." } };
  const one = { ...none, id: "mail", question: "Send the mail.", calls: [mail] };
  const report = await evaluate({
    file: { cases: [one], repeat: 1 },
    openWriter: ({ redact }) => openRecordingWriter(recording, { redact, goesOn: false }),
  });
  // The choice is right all the same.
  expect(report.attempts).toMatchObject([{ tool_choice: true, arguments: true, calls: [{ ok: false }] }]);
  expect(readFileSync(recording, "utf8")).not.toContain('"kind":"call"');
});

const none = { mode: "agent" as const, order: "any" as const, alsoAllowed: [], answer: [] };

test("an earlier report shows which cases were lost, and by what chance", async () => {
  const small = { ...file, cases: file.cases.slice(13, 21) };
  const faults = new Map<string, PlantedFault>([
    ["weather-zh-1", "wrong-tool"],
    ["weather-en-1", "wrong-argument"],
    ["poi-zh-1", "wrong-answer"],
  ]);
  const before = await evaluate({ file: small });
  const after = await evaluate({ file: small, faults });
  const [comparison] = compareReports(after, before, 0);
  expect(comparison?.lost).toEqual(["weather-zh-1", "weather-en-1", "poi-zh-1"]);
  expect(comparison).toMatchObject({ won: [], p: 0.25, is_worse: true });
  expect(comparison?.success).toBe(-0.375);
  expect(compareReports(after, before, 0.375)[0]?.is_worse).toBe(false);
  expect(compareReports(before, after, 0)[0]?.is_worse).toBe(false);
  const asked = (...names: string[]) => ({
    rows: names.map((name) => ({ pair: name, prompts: "default" })),
    cases: small.cases.map(({ id }) => id),
  });
  const two = { ...before, rows: [...before.rows, ...before.rows] };
  expect(() => refuseOtherReport("old.json", asked("a/b", pair.name), two)).not.toThrow();
  expect(() => refuseOtherReport("old.json", asked("a/b"), before)).not.toThrow();
  expect(() => refuseOtherReport("old.json", asked("a/b"), two)).toThrow(
    "--baseline: old.json: has no row to compare: a/b / default (allowed: fake/cheap+fake/strong / default, ",
  );
});

test("a baseline is compared by the cases in common, and refused where there is none", async () => {
  const small = { ...file, cases: file.cases.slice(0, 2) };
  const before = await evaluate({ file: small });
  const wider = { ...file, cases: file.cases.slice(1, 4) };
  const faults = new Map<string, PlantedFault>(wider.cases.slice(1).map(({ id }) => [id, "wrong-tool"]));
  const after = await evaluate({ file: wider, faults });
  const comparisons = compareReports(after, before, 0);
  expect(comparisons).toMatchObject([{ cases: { shared: 1, now: 3, baseline: 2 }, success: 0, is_worse: false }]);
  expect(renderReport(after, comparisons, [], "en").join("\n")).toContain(
    "cases in common: 1 (3 here, 2 in the baseline)",
  );
  const rows = [{ pair: pair.name, prompts: "default" }];
  expect(() => refuseOtherReport("old.json", { rows, cases: ["x"] }, before)).toThrow(
    `old.json: has no case in common: x (allowed: ${small.cases.map(({ id }) => id).join(", ")})`,
  );
});

test("an answer that the judge gives no mark lowers no success, and counts as not judged", async () => {
  const cases = file.cases.slice(0, 2).map((one) => ({ ...one, answer: [{ judge: "Says how many.", atLeast: 0.5 }] }));
  const judge = scriptedModel(["Good!", '{"mark": "0.9"}', "Good!", "Better!"], "judge");
  const report = await evaluate({
    ...{ file: { cases, repeat: 1, judge: "fake/judge" }, parallel: 1 },
    openModels: async (wanted) =>
      wanted.name === "fake/judge" ? { functionCall: judge, answer: judge } : openModels(wanted, cases),
  });
  expect(report.attempts).toMatchObject([
    { succeeded: true, failure: null },
    { succeeded: null, failure: "not-judged", checks: [{ passed: null }] },
  ]);
  expect(report.rows).toMatchObject([{ success: { passed: 1, of: 1 }, failures: { "not-judged": 1, error: 0 } }]);
  expect(renderReport(report, [], [], "zh").join("\n")).toContain("失败：没有得到评分 1");
  // Not every attempt has succeeded.
  expect(hasMetTargets(report)).toBe(false);
});

test("what the attempts run with has a digest, which changes with the prompts, the judge and the settings", async () => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, "answer.md"), "In two words. {cite}\n{untrusted}");
  const promptSets = listPromptSets({ prompts: { short: { directory: folder } } }, undefined);
  const own = await loadConfig({ config: await configFile({ locale: "en" }) }, { HOME: folder });
  const first = await hashSetup({ config: own, file: { judge: "a/b" }, promptSets });
  expect(await hashSetup({ config: own, file: { judge: "a/b" }, promptSets })).toEqual(first);
  writeFileSync(join(folder, "answer.md"), "In three words. {cite}\n{untrusted}");
  const limited = await loadConfig(
    { config: await configFile({ locale: "en", agent: { maxIterations: 3 } }) },
    { HOME: folder },
  );
  const second = await hashSetup({ config: limited, file: { judge: "a/c" }, promptSets });
  expect(() => refuseOtherSetup("a.jsonl", first, second)).toThrow("has changed: settings, judge, prompts short (");
});

test("intervals stay within 0 and 1, and nothing measured has none", () => {
  expect(toRounded(computeShare(60, 60))).toEqual([60, 60, 0.9398, 1]);
  expect(toRounded(computeShare(0, 10))).toEqual([0, 10, 0, 0.2775]);
  expect(computeShare(0, 0)).toEqual({ passed: 0, of: 0, rate: null, low: null, high: null });
  expect(computeSignTest(1, 9)).toBeCloseTo(0.021484375);
  expect(computeSignTest(5, 5)).toBe(1);
});
