import { realpath } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { DuetError, type Text } from "../../kit/errors.ts";

/** What a module exports by default. Throws a `config` error that does not name it when it does not load, or exports none. */
export async function importDefault(path: string): Promise<unknown> {
  const real = await realpath(path);
  const exported = await importModule(real, real);
  if (exported === undefined) throw new DuetError({ code: "config", text: noDefault });
  return exported;
}

/** The same where there need not be one; with `shownIn`, the error says at which line of that file it went wrong. */
export async function importModule(path: string, shownIn?: string): Promise<unknown> {
  try {
    const module: { default?: unknown } = await import(pathToFileURL(path).href);
    return module.default;
  } catch (thrown) {
    throw new DuetError({ code: "config", text: doesNotLoad(thrown, shownIn), cause: thrown });
  }
}

function doesNotLoad(thrown: unknown, path: string | undefined): Text {
  const why = thrown instanceof Error ? String(thrown) : inspect(thrown);
  const line = thrown instanceof Error && path !== undefined ? lineIn(thrown.stack ?? "", path) : undefined;
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

const noDefault: Text = {
  zh: "没有默认导出（需要：export default { name, description, inputSchema, run }）",
  en: "has no default export (export default { name, description, inputSchema, run } is needed)",
};
