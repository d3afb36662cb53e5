// Heavy, like compile-schema.ts: whoever needs this file imports it when first needed.
import { Ajv, type Options } from "ajv";
import { getMessage } from "../../kit/errors.ts";
import type { JsonSchema } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { findSchemaExcess } from "./compile-schema.ts";

/** Finds the same faults as hosts do, in a fraction of the time: nothing is checked by what comes out. */
const ajvOptions: Options = {
  strict: false,
  validateSchema: false,
  allErrors: true,
  logger: false,
  inlineRefs: false,
  code: { optimize: false },
};

/**
 * Explains why a host could not compile the output schema of a tool, or returns undefined. Hosts on the MCP SDK 1.x compile each in a list
 * by the rules of draft 7, with the patterns of JavaScript, and have no list at all where one cannot be compiled. It is done as they do it.
 */
export function findHostFault(schema: JsonSchema): Text | undefined {
  const excess = findSchemaExcess(schema);
  if (excess !== undefined)
    return { zh: `outputSchema 过大（${excess.zh}）`, en: `its output schema is too large (${excess.en})` };
  try {
    new Ajv(ajvOptions).compile(schema);
    return undefined;
  } catch (thrown) {
    const reason = getMessage(thrown).slice(0, 300);
    return { zh: `outputSchema 无法编译（${reason}）`, en: `its output schema cannot be compiled (${reason})` };
  }
}
