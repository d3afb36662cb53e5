import type { RemoteTool } from "../../src/client/lists/listing.ts";
import type { Elicit } from "../../src/core/forms/elicitation.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../src/kit/json.ts";

/** A browser whose user always agrees: it goes where it is sent, and on to where that sends it. */
export function follow(url: URL): void {
  void fetch(url, { redirect: "manual" })
    .then((response) => fetch(new URL(response.headers.get("location") ?? "", url)))
    .catch((thrown: unknown) => console.error("browser:", thrown));
}

/** Accepts a form without a look at it, so that the connector fills in its defaults. */
export const offered: Elicit = async (question) =>
  question.kind === "form" ? { action: "accept", content: {} } : { action: "decline" };

/** The calls that the scenario names, or one of each tool. */
export function wantedCalls(context: unknown, tools: readonly RemoteTool[]): { name: string; args: JsonObject }[] {
  const named = isRecord(context) && Array.isArray(context.toolCalls) ? context.toolCalls : undefined;
  if (named === undefined) return tools.map((tool) => ({ name: tool.name, args: someArguments(tool) }));
  return named.flatMap((each: unknown) =>
    isRecord(each) && typeof each.name === "string" ? [{ name: each.name, args: plain(each.arguments) }] : [],
  );
}

function someArguments({ inputSchema }: RemoteTool): JsonObject {
  const properties = isRecord(inputSchema.properties) ? inputSchema.properties : {};
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, someValue(schema)]));
}

function someValue(schema: unknown): JsonValue {
  const type = isRecord(schema) ? schema.type : undefined;
  if (type === "number" || type === "integer") return 2;
  return type === "boolean" ? true : "text";
}

function plain(value: unknown): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(value ?? {}));
  return isObject(parsed) ? parsed : {};
}

function isObject(value: unknown): value is JsonObject {
  return isRecord(value) && Object.values(value).every(isJson);
}

function isJson(value: unknown): value is JsonValue {
  if (Array.isArray(value)) return value.every(isJson);
  return value === null || ["string", "number", "boolean"].includes(typeof value) || isObject(value);
}
