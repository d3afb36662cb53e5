import type { ArgumentProblem } from "../../../core/tools/tool.ts";
import { isRecord, isTooLarge, type JsonObject, type JsonSchema } from "../../../kit/json.ts";
import type { ArgumentsCheck } from "../../../tools/schema/compile-schema.ts";

/** Returns the first thing for which a host would refuse this structured content of a tool; undefined where there is none. */
export type OutputCheck = (schema: JsonSchema, structured: unknown) => Promise<ArgumentProblem | undefined>;

/**
 * Creates the check of results by the output schemas of their tools, each of which it compiles once. A schema or a result that is too
 * large to be checked is left to the host.
 */
export function createOutputCheck(): OutputCheck {
  const compiled = new WeakMap<JsonSchema, ArgumentsCheck>();
  return async (schema, structured) => {
    if (!isJsonObject(structured) || isTooLarge(structured)) return undefined;
    const [{ compileKnownParts, findSchemaExcess }, { describeProblems }] = await Promise.all([
      import("../../../tools/schema/compile-schema.ts"),
      import("../../../tools/schema/with-validation.ts"),
    ]);
    const known = compiled.get(schema);
    if (known === undefined && findSchemaExcess(schema) !== undefined) return undefined;
    const check = known ?? compileKnownParts(schema);
    compiled.set(schema, check);
    return describeProblems(check(structured))[0];
  };
}

/** Checks only for an object, because values from the wire are always JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}
