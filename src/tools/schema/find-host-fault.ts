// Heavy, like compile-schema.ts: whoever needs this file imports it when first needed.
import { Ajv } from "ajv";
import { getMessage } from "../../kit/errors.ts";
import type { JsonSchema } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { findSchemaExcess } from "./compile-schema.ts";

/** Limits a schema, in characters: compiling this many takes up to a third of a second, in one go. */
const mostCharacters = 20_000;

/**
 * Explains why a host could not compile the output schema of a tool, or returns undefined. Hosts on the MCP SDK 1.x compile each in a list
 * by the rules of draft 7, with the patterns of JavaScript, and have no list at all where one cannot be compiled. It is done as they do it.
 */
export function findHostFault(schema: JsonSchema): Text | undefined {
  const { length } = JSON.stringify(schema);
  if (length > mostCharacters)
    return { zh: `${length} 个字符（上限 ${mostCharacters}）`, en: `${length} characters (limit ${mostCharacters})` };
  const excess = findSchemaExcess(schema);
  if (excess !== undefined) return excess;
  try {
    new Ajv({ strict: false, validateSchema: false, allErrors: true, logger: false }).compile(schema);
    return undefined;
  } catch (thrown) {
    const reason = getMessage(thrown).slice(0, 300);
    return { zh: reason, en: reason };
  }
}
