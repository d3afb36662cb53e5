import type { ToolCall } from "../../core/model/messages.ts";
import { isDeeperThan, isRecord, type JsonObject } from "../../kit/json.ts";
import { findShapeFault } from "../../kit/json-shape.ts";

/** Represents a piece of a tool call, as either wire streams it. */
export interface ToolFragment {
  index?: number;
  id?: string;
  name?: string;
  arguments?: string;
  /** Must be sent back with this call, whole and unread. */
  extra?: unknown;
}

export interface CollectedCall extends ToolCall {
  extra?: unknown;
}

interface OpenCall {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string[];
  extra: unknown;
}

/** Puts the fragments of one turn's tool calls together, whichever way a server splits and numbers them. */
export class ToolFragments {
  #calls: OpenCall[] = [];

  get empty(): boolean {
    return this.#calls.length === 0;
  }

  /** Takes the fragments of one delta, in the order of its array. */
  add(fragments: readonly ToolFragment[]): void {
    fragments.forEach((fragment, position) => {
      const held = this.#find(fragment, fragments.length > 1 ? position : this.#calls.length - 1);
      if (held === undefined || isStartOfAnother(held, fragment)) this.#open(fragment);
      else extend(held, fragment);
    });
  }

  /**
   * Returns the calls in order of first appearance. `newId` makes ids for calls without one or with one that is already taken.
   */
  calls(newId: () => string): CollectedCall[] {
    const taken = new Set<string>();
    return this.#calls.map((call) => {
      const id = call.id === "" || taken.has(call.id) ? newId() : call.id;
      taken.add(id);
      const argumentsText = call.arguments.join("");
      return { id, name: call.name, argumentsText, arguments: parseArguments(argumentsText), extra: call.extra };
    });
  }

  #find(fragment: ToolFragment, position: number): OpenCall | undefined {
    if (fragment.index !== undefined) return this.#calls.findLast((call) => call.index === fragment.index);
    if (fragment.id) return this.#calls.findLast((call) => call.id === fragment.id);
    return this.#calls[position];
  }

  #open(fragment: ToolFragment): void {
    this.#calls.push({
      index: fragment.index,
      id: fragment.id ?? "",
      name: fragment.name ?? "",
      arguments: fragment.arguments ? [fragment.arguments] : [],
      extra: fragment.extra,
    });
  }
}

/** Levels of arguments; deeper ones are nonsense that would break whoever walks through them. */
const deepest = 64;

/**
 * Parses the arguments of a call. Empty text and `null` mean no arguments. Returns undefined for anything but an object, for an
 * object whose numbers would change when parsed, and for one that has a key twice, of which the model may have meant either.
 */
export function parseArguments(text: string): JsonObject | undefined {
  return findShapeFault(text, keysOnly) === "key-twice" ? undefined : parseObject(text);
}

const keysOnly = { depth: Number.POSITIVE_INFINITY, keys: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

function parseObject(text: string): JsonObject | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return {};
  try {
    const value: unknown = JSON.parse(trimmed);
    return isJsonObject(value) && !isDeeperThan(value, deepest) && hasExactNumbers(trimmed) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true when every number survives parsing. A long integer would change its value, and 1e400 would become infinite. */
function hasExactNumbers(json: string): boolean {
  if (!/\d{16}|\d[eE]/.test(json)) return true;
  const numbers = json.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.every((written) => {
    const value = Number(written);
    if (/^-?\d{16,}$/.test(written)) return written.length < 400 && BigInt(value) === BigInt(written);
    return Number.isFinite(value) && (value !== 0 || !/^-?[\d.]*[1-9]/.test(written));
  });
}

/** Use this only on what `JSON.parse` returned: a record there holds nothing but JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

// Several servers number all parallel calls 0, others send whole calls with neither index nor id: a new id, or a new
// name after arguments, is a new call. Nothing of two calls is ever put into one.
function isStartOfAnother(held: OpenCall, fragment: ToolFragment): boolean {
  if (fragment.id && held.id && fragment.id !== held.id) return true;
  if (!fragment.name || held.arguments.length === 0) return false;
  if (fragment.name !== held.name) return true;
  return fragment.index === undefined && !!fragment.arguments && isComplete(held.arguments.join(""));
}

// An empty id never replaces one (DashScope repeats it as ""), and a repeated name is not a longer name.
function extend(held: OpenCall, fragment: ToolFragment): void {
  if (fragment.id) held.id = fragment.id;
  if (fragment.name && fragment.name !== held.name) held.name += fragment.name;
  if (fragment.arguments) held.arguments.push(fragment.arguments);
  if (fragment.extra !== undefined) held.extra = fragment.extra;
}

function isComplete(text: string): boolean {
  return text.trim() !== "" && parseObject(text) !== undefined;
}
