import { realpath } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import type { Text } from "../../core/locale.ts";
import { abortable, timeLimit } from "../../core/waiting.ts";
import { refuse } from "./broken.ts";

/** What a module exports by default. Throws one line that names `file` when it does not load in time, or exports none. */
export async function importDefault(path: string, file: string, loadMs: number): Promise<unknown> {
  const real = await realpath(path);
  const limit = timeLimit(loadMs, () => new Error("late"));
  let module: { default?: unknown };
  try {
    module = await abortable(import(pathToFileURL(real).href), limit.signal);
  } catch (thrown) {
    throw refuse(file, limit.expired ? late(loadMs) : doesNotLoad(thrown, real), thrown);
  } finally {
    limit.clear();
  }
  if (module.default === undefined) throw refuse(file, noDefault);
  return module.default;
}

function doesNotLoad(thrown: unknown, path: string): Text {
  const why = thrown instanceof Error ? String(thrown) : inspect(thrown);
  const line = thrown instanceof Error ? lineIn(thrown.stack ?? "", path) : undefined;
  return {
    zh: line === undefined ? `无法加载：${why}` : `无法加载（第 ${line} 行）：${why}`,
    en: line === undefined ? `does not load: ${why}` : `does not load (line ${line}): ${why}`,
  };
}

/** Where in the module it went wrong, as far as the stack tells, which has the file as a URL or as a path. */
function lineIn(stack: string, path: string): string | undefined {
  for (const name of [pathToFileURL(path).href, path]) {
    const at = stack.indexOf(`${name}:`);
    const line = at < 0 ? undefined : /^\d+/.exec(stack.slice(at + name.length + 1))?.[0];
    if (line !== undefined) return line;
  }
  return undefined;
}

function late(loadMs: number): Text {
  return { zh: `${loadMs / 1000} 秒内没有加载完`, en: `did not load within ${loadMs / 1000} s` };
}

const noDefault: Text = {
  zh: "没有默认导出（需要：export default { name, description, inputSchema, run }）",
  en: "has no default export (export default { name, description, inputSchema, run } is needed)",
};
