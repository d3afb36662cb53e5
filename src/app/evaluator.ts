import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import type { Evaluator } from "../agent/evaluator.ts";
import { problem } from "../config/problem.ts";
import type { DuetError } from "../core/errors.ts";
import type { Text } from "../core/locale.ts";
import { abortable, timeLimit } from "../core/waiting.ts";

/** How long a module may take to load, in milliseconds. */
const patienceMs = 10_000;

/**
 * Loads the user's own evaluator, the default export of a module in JavaScript or TypeScript. Throws a `config` error of
 * one line, which names the path, when there is no such file, when it does not load, or when it exports no function.
 */
export async function loadEvaluator(path: string): Promise<Evaluator> {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) throw refused(path, { zh: "没有这个文件", en: "there is no such file" });
  const loaded = await load(path);
  if (isEvaluator(loaded)) return loaded;
  const found = loaded === undefined ? { zh: "没有", en: "missing" } : both(typeof loaded);
  throw refused(path, {
    zh: `默认导出不是函数（${found.zh}；需要：export default (facts) => …）`,
    en: `its default export is no function (${found.en}; export default (facts) => … is needed)`,
  });
}

async function load(path: string): Promise<unknown> {
  const late = (): Error =>
    refused(path, { zh: `${patienceMs / 1000} 秒内没有加载完`, en: `did not load within ${patienceMs / 1000} s` });
  const limit = timeLimit(patienceMs, late);
  try {
    const module: { default?: unknown } = await abortable(import(pathToFileURL(path).href), limit.signal);
    return module.default;
  } catch (thrown) {
    if (limit.expired) throw thrown;
    const why = thrown instanceof Error ? String(thrown) : inspect(thrown);
    throw refused(path, { zh: `无法加载：${why}`, en: `does not load: ${why}` }, thrown);
  } finally {
    limit.clear();
  }
}

/** What it takes and gives can only be seen when it is called; the run checks that. */
function isEvaluator(value: unknown): value is Evaluator {
  return typeof value === "function";
}

function refused(path: string, what: Text, cause?: unknown): DuetError {
  return problem(`agent.evaluation.module: ${path}`, what, cause);
}

function both(text: string): Text {
  return { zh: text, en: text };
}
