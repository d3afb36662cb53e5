import type { OutputCheck } from "../../core/tools/output-misfit.ts";
import { isRecord, isTooLarge, type JsonObject, type JsonSchema } from "../../kit/json.ts";
import type { ArgumentsCheck } from "./compile-schema.ts";

/**
 * Creates the check of results by the output schemas of their tools, each of which it compiles once. A server chooses both: what could
 * take long to check is not checked.
 */
export function createOutputCheck(): OutputCheck {
  /** Holds undefined for a schema that is not checked. */
  const compiled = new WeakMap<JsonSchema, ArgumentsCheck | undefined>();
  return async (schema, structured) => {
    if (!isJsonObject(structured) || isTooLarge(structured)) return undefined;
    const [{ compileBounded }, { describeProblems }] = await Promise.all([
      import("./bounded-check.ts"),
      import("./with-validation.ts"),
    ]);
    if (!compiled.has(schema)) compiled.set(schema, compileBounded(schema));
    return describeProblems(compiled.get(schema)?.(structured) ?? [])[0];
  };
}

/** Checks only for an object, because values from the wire are always JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}
