import { isRecord, type JsonSchema } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";

const annotation = "x-mcp-header";

/**
 * Reports what is wrong with the parameters that a tool wants repeated in HTTP headers; returns undefined when there are none or
 * all are valid. Clients have to leave out a tool with an invalid one (MCP 2026-07-28, Streamable HTTP, "Schema Extension"): the
 * name has to be a token of RFC 9110, unique regardless of case, on a string, an integer or a boolean that is reached by
 * `properties` alone.
 */
export function findHeaderProblem(inputSchema: JsonSchema): Text | undefined {
  const known = new Set<string>();

  function visit(schema: unknown, isReachable: boolean): Text | undefined {
    if (!isRecord(schema)) return undefined;
    const own = annotation in schema ? check(schema, isReachable) : undefined;
    if (own) return own;
    for (const [keyword, value] of Object.entries(schema)) {
      const inner = listSubschemas(keyword, value);
      for (const each of inner) {
        const problem = visit(each, isReachable && keyword === "properties");
        if (problem) return problem;
      }
    }
    return undefined;
  }

  function check({ [annotation]: header, type }: Record<string, unknown>, isReachable: boolean): Text | undefined {
    if (!isReachable) return describeProblem("不在 properties 中", "is not on a property");
    if (typeof header !== "string" || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(header)) {
      return describeProblem("不是有效的 HTTP 头名", "is not the name of an HTTP header");
    }
    if (type !== "string" && type !== "integer" && type !== "boolean") {
      return describeProblem(
        "所在的参数不是 string、integer 或 boolean",
        "is on a parameter other than string, integer or boolean",
      );
    }
    const name = header.toLowerCase();
    if (known.has(name)) return describeProblem("重复", "is given twice");
    known.add(name);
    return undefined;
  }

  return annotation in inputSchema
    ? describeProblem("不在 properties 中", "is not on a property")
    : visit(inputSchema, true);
}

/**
 * Returns the schema without its headers where one of them is invalid, because a client of the newer protocol would leave out the
 * tool. A server of the 2025 era may use the word for anything.
 */
export function dropInvalidHeaders(inputSchema: JsonSchema): JsonSchema {
  return findHeaderProblem(inputSchema) === undefined ? inputSchema : dropHeaders(inputSchema);
}

function dropHeaders({ [annotation]: _, ...schema }: JsonSchema): JsonSchema {
  const drop = (value: unknown): unknown => (isRecord(value) ? dropHeaders(value) : value);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (maps.has(keyword) && isRecord(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, drop(inner)]))];
    if (!singles.has(keyword)) return [keyword, value];
    return [keyword, Array.isArray(value) ? value.map(drop) : drop(value)];
  });
  return Object.fromEntries(entries);
}

const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const singles = new Set([
  "items",
  "additionalItems",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "propertyNames",
  "contains",
  "prefixItems",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
]);

function listSubschemas(keyword: string, value: unknown): unknown[] {
  if (maps.has(keyword)) return isRecord(value) ? Object.values(value) : [];
  return singles.has(keyword) ? [value].flat() : [];
}

function describeProblem(zh: string, en: string): Text {
  return { zh: `其 ${annotation} ${zh}`, en: `its ${annotation} ${en}` };
}
