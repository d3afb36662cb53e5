import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import type { Models } from "../../src/agent/run.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { type CaseFile, readCaseFile } from "../../src/eval/case-file.ts";
import { compareReports } from "../../src/eval/compare-reports.ts";
import type { EvaluationOptions } from "../../src/eval/evaluation-state.ts";
import { listPromptSets, type ModelPair, parseModelPair } from "../../src/eval/matrix.ts";
import { readRecording } from "../../src/eval/recording/read-recording.ts";
import { openRecordingWriter } from "../../src/eval/recording/recording-writer.ts";
import { createReport, hasMetTargets, type Report } from "../../src/eval/report.ts";
import { openResultsFile } from "../../src/eval/results-file.ts";
import { runEvaluation } from "../../src/eval/run-evaluation.ts";
import { computeShare, computeSignTest } from "../../src/eval/statistics.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { createCaseModel, createJudgeModel, type PlantedFault } from "../fakes/eval-models.ts";
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
    ...{ error: 0, limit: 0, answer: 0 },
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
    results: await openResultsFile(results, false),
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
  await expect(openResultsFile(results, false)).rejects.toThrow(/has \d+ results already/);
  const resumed = await openResultsFile(results, true);
  expect(resumed.earlier.size).toBe(asked.length);
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
});

test("intervals stay within 0 and 1, and nothing measured has none", () => {
  expect(toRounded(computeShare(60, 60))).toEqual([60, 60, 0.9398, 1]);
  expect(toRounded(computeShare(0, 10))).toEqual([0, 10, 0, 0.2775]);
  expect(computeShare(0, 0)).toEqual({ passed: 0, of: 0, rate: null, low: null, high: null });
  expect(computeSignTest(1, 9)).toBeCloseTo(0.021484375);
  expect(computeSignTest(5, 5)).toBe(1);
});
