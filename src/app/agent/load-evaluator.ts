import { stat } from "node:fs/promises";
import * as z from "zod";
import type { Evaluation, Evaluator } from "../../agent/loop/evaluator.ts";
import { configError } from "../../config/config-errors.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { timeoutError } from "../../kit/async/timeout.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import { isRecord, type JsonValue } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { createModuleHost, type ModuleLimits } from "../../tools/modules/module-host.ts";

/** Represents the user's own evaluator, which runs in a separate thread. */
export interface OpenedEvaluator {
  evaluate: Evaluator;
  close(): Promise<void>;
}

/** The run gives up after five seconds. This limit is slightly shorter, so that a blocked thread is detected first. */
const usualLimits: ModuleLimits = { loadMs: 10_000, callMs: 4_900 };

/**
 * Loads the default export of a module in JavaScript or TypeScript. Throws a `config` error of one line, which names the path, when
 * there is no such file, when it does not load, or when it exports no function.
 */
export async function openEvaluator(
  path: string,
  warn: (line: Text) => void,
  limits: ModuleLimits = usualLimits,
): Promise<OpenedEvaluator> {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw evaluatorError(path, { zh: "没有这个文件", en: "there is no such file" });
  const host = createModuleHost<"function">({ kind: "function", path, file: path, lendTo: [], limits, warn });
  const { found } = await host.load().catch((thrown: unknown) => {
    throw evaluatorError(path, toDuetError(thrown).text, thrown);
  });
  if (found !== "function") {
    await host.close();
    const { zh, en } = found === "undefined" ? { zh: "没有", en: "missing" } : { zh: found, en: found };
    throw evaluatorError(path, {
      zh: `默认导出不是函数（${zh}；需要：export default (facts) => …）`,
      en: `its default export is not a function (${en}; export default (facts) => … is needed)`,
    });
  }
  const lateEvaluatorError = (): DuetError => timeoutError({ zh: "自定义评估", en: "the evaluator" }, limits.callMs);
  return {
    async evaluate({ signal, ...facts }) {
      const said = await host.call(facts, { signal, label: path, lateError: lateEvaluatorError });
      return readEvaluation(said, path);
    },
    close: host.close,
  };
}

const evaluation = z.object({ verdict: z.enum(["continue", "answer"]), reason: z.string().optional() });

/**
 * Returns undefined where the module leaves the decision to the rules. Throws a `DuetError` for anything that is no evaluation.
 */
function readEvaluation(said: JsonValue | undefined, path: string): Evaluation | undefined {
  // A module in JavaScript says nothing in its own way: `results.length > 3 && { … }`.
  if (!said) return undefined;
  const { data, error } = evaluation.safeParse(said);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const key = issue?.path[0] === undefined ? "" : String(issue.path[0]);
  const value = showValue(key !== "" && isRecord(said) ? said[key] : said);
  const allowed = '{ verdict: "continue" | "answer", reason?: string }';
  throw new DuetError({
    code: "tool",
    text: {
      zh: `${path}：${key === "" ? "返回值" : `${key} `}不能是 ${value}（允许：${allowed}）`,
      en: `${path}: ${key === "" ? "the returned value" : key} is ${value} (allowed: ${allowed})`,
    },
  });
}

function evaluatorError(path: string, what: Text, cause?: unknown): DuetError {
  return configError(`agent.evaluation.module: ${path}`, what, cause);
}
