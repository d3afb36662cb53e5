import { stat } from "node:fs/promises";
import type { Evaluation, Evaluator } from "../agent/evaluator.ts";
import { problem } from "../config/problem.ts";
import { type DuetError, toDuetError } from "../core/errors.ts";
import type { Text } from "../core/locale.ts";
import { timeoutError } from "../core/waiting.ts";
import { createModuleHost, type ModuleLimits } from "../tools/modules/module-host.ts";

/** The user's own evaluator in a thread of its own. */
export interface OpenedEvaluator {
  evaluate: Evaluator;
  close(): Promise<void>;
}

/** The run gives up after five seconds; here it is known a moment earlier whether the thread is blocked. */
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
  if (!isFile) throw refused(path, { zh: "没有这个文件", en: "there is no such file" });
  const host = createModuleHost<"function">({ kind: "function", path, file: path, lendTo: [], limits, warn });
  const { found } = await host.load().catch((thrown: unknown) => {
    throw refused(path, toDuetError(thrown).text, thrown);
  });
  if (found !== "function") {
    await host.close();
    const { zh, en } = found === "undefined" ? { zh: "没有", en: "missing" } : { zh: found, en: found };
    throw refused(path, {
      zh: `默认导出不是函数（${zh}；需要：export default (facts) => …）`,
      en: `its default export is no function (${en}; export default (facts) => … is needed)`,
    });
  }
  const late = (): DuetError => timeoutError({ zh: "自定义评估", en: "the evaluator" }, limits.callMs);
  return {
    async evaluate({ signal, ...facts }) {
      const said = await host.call(facts, { signal, label: path, lateError: late });
      return isEvaluation(said) ? said : undefined;
    },
    close: host.close,
  };
}

/** Whether it says anything; whether that is a verdict is checked by the run. */
function isEvaluation(said: unknown): said is Evaluation {
  return Boolean(said);
}

function refused(path: string, what: Text, cause?: unknown): DuetError {
  return problem(`agent.evaluation.module: ${path}`, what, cause);
}
