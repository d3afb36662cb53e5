import { getOwnValue, isRecord, type JsonObject, type JsonValue, tryParseJson } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";

// {{step_1}}, {{step_1.items.0.name}}, {{step_1.items[0].name}}. Blanks belong to one part only, or a long run of them
// would be gone over again and again.
const reference = /\{\{\s*step_(\d{1,3})\s*((?:\.[^.{}[\]]+|\[\d+\]\s*)*)\}\}/g;
const meantAsReference = /\{\{\s*step[^{}]*\}\}/gi;

/** Describes a value of a step's parameters that is only known when the step runs. */
export interface UnresolvedValue {
  /** Has the form `filters.labels[2]`, as in problems of arguments. */
  path: string;
  /** Lists the steps whose results the value needs. It is empty when the model is to fill it in (`"?"`). */
  steps: number[];
  /** Lists texts that look like references but cannot be read as such. */
  unreadable: string[];
}

export function findUnresolvedValues(parameters: JsonObject): UnresolvedValue[] {
  const places: UnresolvedValue[] = [];
  mapTexts(parameters, "", (text, path) => {
    const steps = [...text.matchAll(reference)].map(([, step]) => Number(step));
    const unreadable = [...text.replace(reference, "").matchAll(meantAsReference)].map(([whole]) => whole);
    if (steps.length > 0 || unreadable.length > 0 || isQuestion(text)) places.push({ path, steps, unreadable });
    return text;
  });
  return places;
}

/** Holds the parameters with every reference replaced, and the places that could not be filled. */
export interface FilledParameters {
  parameters: JsonObject;
  missing: MissingValue[];
}

/** Names a place without a value, and the references there that lead to nothing. A `"?"` has none. */
export interface MissingValue {
  path: string;
  dangling: string[];
}

/**
 * Replaces references by what earlier steps brought. A string that is one reference and nothing else becomes the value
 * itself: `json`, parsed where it is JSON; `text`, as it was written.
 */
export function fillReferences(
  parameters: JsonObject,
  results: ReadonlyMap<number, string>,
  whole: "json" | "text",
): FilledParameters {
  const missing: MissingValue[] = [];
  const fill = (text: string, path: string): JsonValue => {
    const dangling: string[] = [];
    const values: JsonValue[] = [];
    const filled = text.replace(reference, (written, step: string, pick: string) => {
      const value = pickValue(results.get(Number(step)), pick, whole);
      if (value === undefined) dangling.push(written);
      else values.push(value);
      return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    });
    if (isQuestion(text) || dangling.length > 0) missing.push({ path, dangling });
    const [only] = values;
    return only !== undefined && text.trim().replace(reference, "") === "" && values.length === 1 ? only : filled;
  };
  const entries = Object.entries(parameters).map(([name, value]) => [name, mapTexts(value, name, fill)]);
  return { parameters: Object.fromEntries(entries), missing };
}

/** Says which parameters have no value yet, and of each reference there that it leads to nothing. */
export function describeMissing(places: readonly MissingValue[]): Text {
  const list = (locale: Locale): string =>
    places.map((place) => describePlace(place, locale)).join(say(locale, separator));
  return { zh: `还没有值的参数：${list("zh")}`, en: `Parameters without a value yet: ${list("en")}` };
}

const separator: Text = { zh: "、", en: ", " };

function describePlace({ path, dangling }: MissingValue, locale: Locale): string {
  if (dangling.length === 0) return path;
  const shown = dangling.join(say(locale, separator));
  return say(locale, { zh: `${path}（结果里没有 ${shown}）`, en: `${path} (the results have no ${shown})` });
}

function pickValue(result: string | undefined, pick: string, whole: "json" | "text"): JsonValue | undefined {
  if (result === undefined || (pick === "" && whole === "text")) return result;
  const parsed = tryParseJson(result);
  if (pick === "") return parsed ?? result;
  const steps = pick
    .replace(/\[(\d+)\]/g, ".$1")
    .slice(1)
    .split(".");
  return steps.reduce<JsonValue | undefined>((value, step) => pickOne(value, step.trim()), parsed);
}

function pickOne(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
  return isRecord(value) ? getOwnValue(value, step) : undefined;
}

/** Returns what later steps may refer to: one result as it is, several as a JSON list where each is JSON. */
export function joinResults(results: readonly string[]): string {
  const [only = ""] = results;
  if (results.length === 1) return only;
  return results.every((text) => tryParseJson(text) !== undefined) ? `[${results.join(",")}]` : results.join("\n\n");
}

function isQuestion(text: string): boolean {
  return text.trim() === "?";
}

/** Gives a copy in which every text has been through `change`. */
function mapTexts(value: JsonValue, path: string, change: (text: string, path: string) => JsonValue): JsonValue {
  if (typeof value === "string") return change(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, `${path}[${index}]`, change));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => {
    const place = path === "" ? name : `${path}.${name}`;
    return [name, mapTexts(inner, place, change)];
  });
  return Object.fromEntries(entries);
}
