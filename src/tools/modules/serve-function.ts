import { importModule } from "../directory/import-module.ts";
import { NotJson, writeJson } from "../own-result.ts";
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
