import { realpath } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { NotJson, writeJson } from "../user-tool-result.ts";
import type { ModuleServer } from "./messages.ts";

/** Serves a module whose default export is a function of one object. */
export async function serveFunction(path: string): Promise<ModuleServer<"function">> {
  const run = await importModule(path);
  return {
    description: { found: typeof run },
    async call(input, { signal }) {
      if (typeof run !== "function") throw new TypeError("the default export is not a function");
      const given: unknown = await run({ ...input, signal });
      // As JSON it can be cloned, and what cannot be JSON is refused in words.
      return given === undefined ? undefined : JSON.parse(writeResult(given, path));
    },
  };
}

function writeResult(given: unknown, path: string): string {
  try {
    return writeJson(given);
  } catch (thrown) {
    if (!(thrown instanceof NotJson)) throw thrown;
    throw new TypeError(`${path} ${thrown.message} (allowed: JSON)`, { cause: thrown });
  }
}

/**
 * Returns a module's default export. Throws a `config` error that does not name the module when it does not load or has no
 * default export.
 */
export async function importDefault(path: string): Promise<unknown> {
  const real = await realpath(path);
  const exported = await importModule(real, real);
  if (exported === undefined) throw new DuetError({ code: "config", text: noDefault });
  return exported;
}

/** Returns the default export, which may be missing. With `shownIn`, the error gives the line of that file where it occurred. */
export async function importModule(path: string, shownIn?: string): Promise<unknown> {
  try {
    const module: { default?: unknown } = await import(pathToFileURL(path).href);
    return module.default;
  } catch (thrown) {
    throw new DuetError({ code: "config", text: describeLoadFailure(thrown, shownIn), cause: thrown });
  }
}

function describeLoadFailure(thrown: unknown, path: string | undefined): Text {
  const why = thrown instanceof Error ? String(thrown) : inspect(thrown);
  const line = thrown instanceof Error && path !== undefined ? findLine(thrown.stack ?? "", path) : undefined;
  return {
    zh: line === undefined ? `无法加载：${why}` : `无法加载（第 ${line} 行）：${why}`,
    en: line === undefined ? `does not load: ${why}` : `does not load (line ${line}): ${why}`,
  };
}

/**
 * Finds the position of an error in the module from the stack, as far as it tells. The stack has the file as a URL or as a path.
 */
function findLine(stack: string, path: string): string | undefined {
  for (const name of [pathToFileURL(path).href, path]) {
    const at = stack.indexOf(`${name}:`);
    const line = at < 0 ? undefined : /^\d+/.exec(stack.slice(at + name.length + 1))?.[0];
    if (line !== undefined) return line;
  }
  return undefined;
}

const noDefault: Text = {
  zh: "没有默认导出（需要：export default { name, description, inputSchema, run }）",
  en: "has no default export (export default { name, description, inputSchema, run } is needed)",
};
