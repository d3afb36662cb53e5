import type { ArgumentProblem } from "../../../core/tools/tool.ts";
import { isRecord, isTooLarge, type JsonObject, type JsonSchema } from "../../../kit/json.ts";
import type { ArgumentsCheck } from "../../../tools/schema/compile-schema.ts";

/** Returns the first thing for which a host would refuse this structured content of a tool; undefined where there is none. */
export type OutputCheck = (schema: JsonSchema, structured: unknown) => Promise<ArgumentProblem | undefined>;

/**
 * Creates the check of results by the output schemas of their tools, each of which it compiles once. A server chooses both: what could
 * take long to check is left to the host.
 */
export function createOutputCheck(): OutputCheck {
  /** Holds undefined for a schema that is not checked. */
  const compiled = new WeakMap<JsonSchema, ArgumentsCheck | undefined>();
  return async (schema, structured) => {
    if (!isJsonObject(structured) || isTooLarge(structured)) return undefined;
    const [{ compileBounded }, { describeProblems }] = await Promise.all([
      import("../../../tools/schema/bounded-check.ts"),
      import("../../../tools/schema/with-validation.ts"),
    ]);
    if (!compiled.has(schema)) compiled.set(schema, compileBounded(schema));
    return describeProblems(compiled.get(schema)?.(structured) ?? [])[0];
  };
}

/** Checks only for an object, because values from the wire are always JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}
