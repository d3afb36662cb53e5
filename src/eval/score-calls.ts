import type { ToolCallRecord } from "../core/run/outcome.ts";
import { isRecord } from "../kit/json.ts";
import { matchExpression } from "../kit/text/match-expression.ts";
import { isMatch } from "../kit/text/match-pattern.ts";
import type { EvalCase, ExpectedCall } from "./case-file.ts";

/** Says whether the right tools were called, and with the right arguments. Null means that it was not measured. */
export interface CallScore {
  choice: boolean | null;
  arguments: boolean | null;
  /** Says what is wrong; empty where nothing is. */
  faults: readonly CallFault[];
}

export type CallFault =
  | { kind: "missing"; tool: string }
  | { kind: "unexpected"; tool: string }
  | { kind: "order" }
  | { kind: "arguments"; tool: string; path: string };

type Made = Pick<ToolCallRecord, "tool" | "arguments">;

/** Lists the agent's own tools for finding tools and reading results again. Calling them is no choice between tools. */
const ownTools = /^(?:duet_)?(?:find_tools|read_result)$/;

/**
 * Compares the calls that were made with those that were expected. The choice is right where each expected call has one of its tool,
 * in the order that is asked for, and no other tool was called. A call that is repeated is not wrong. The arguments count
 * only where the choice is right. A run that did not come to its end is not judged by calls that it might still have made.
 */
export function scoreCalls(
  { calls: expected, order, alsoAllowed }: Pick<EvalCase, "calls" | "order" | "alsoAllowed">,
  calls: readonly Made[],
  isComplete: boolean,
): CallScore {
  if (expected === undefined) return { choice: null, arguments: null, faults: [] };
  const made = calls.filter(({ tool }) => !ownTools.test(tool));
  const isKnown = ({ tool }: Made): boolean =>
    expected.some((call) => isMatch(tool, call.tool)) || alsoAllowed.some((pattern) => isMatch(tool, pattern));
  const unexpected = made.filter((call) => !isKnown(call));
  if (unexpected.length > 0)
    return { choice: false, arguments: null, faults: unexpected.map(({ tool }) => ({ kind: "unexpected", tool })) };
  const inOrder = order === "same";
  const isTool = (call: ExpectedCall, one: Made): boolean => isMatch(one.tool, call.tool);
  const missing = findUnpaired(expected, made, isTool, inOrder);
  if (missing.length > 0) {
    const isOnlyOrder = inOrder && findUnpaired(expected, made, isTool, false).length === 0;
    const faults: CallFault[] = isOnlyOrder
      ? [{ kind: "order" }]
      : missing.map(({ tool }) => ({ kind: "missing", tool }));
    return { choice: isComplete ? false : null, arguments: null, faults: isComplete ? faults : [] };
  }
  // A run without any call is not known to have chosen none before its end.
  if (expected.length === 0) return { choice: isComplete ? true : null, arguments: null, faults: [] };
  if (!expected.some((call) => call.arguments !== undefined)) return { choice: true, arguments: null, faults: [] };
  const isWhole = (call: ExpectedCall, one: Made): boolean =>
    isTool(call, one) && findMismatch(call.arguments ?? {}, one.arguments) === undefined;
  const wrong = findUnpaired(expected, made, isWhole, inOrder);
  const faults = wrong.map((call): CallFault => {
    const paths = made
      .filter((one) => isTool(call, one))
      .flatMap((one) => findMismatch(call.arguments ?? {}, one.arguments) ?? []);
    return { kind: "arguments", tool: call.tool, path: paths[0] ?? "" };
  });
  return { choice: true, arguments: wrong.length === 0, faults };
}

/** Pairs each expected call with one that was made, as many as can be, and returns those that are left. */
function findUnpaired(
  expected: readonly ExpectedCall[],
  made: readonly Made[],
  fits: (call: ExpectedCall, one: Made) => boolean,
  inOrder: boolean,
): ExpectedCall[] {
  if (inOrder) {
    let from = 0;
    return expected.filter((call) => {
      const found = made.findIndex((one, index) => index >= from && fits(call, one));
      if (found >= 0) from = found + 1;
      return found < 0;
    });
  }
  const takenBy = new Map<number, ExpectedCall>();
  /** Finds a call for this one, and where need be another one for whichever has it. */
  const pair = (call: ExpectedCall, tried: Set<number>): boolean =>
    made.some((one, index) => {
      if (tried.has(index) || !fits(call, one)) return false;
      tried.add(index);
      const holder = takenBy.get(index);
      if (holder !== undefined && !pair(holder, tried)) return false;
      takenBy.set(index, call);
      return true;
    });
  return expected.filter((call) => !pair(call, new Set()));
}

/**
 * Returns the path of the first value that is not as expected; undefined where all are. Objects may have more keys than expected, and
 * lists may not have more entries.
 */
export function findMismatch(expected: unknown, actual: unknown, path = ""): string | undefined {
  const place = path === "" ? "arguments" : path;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return place;
    return findFirst(expected.map((one, index) => () => findMismatch(one, actual[index], `${path}[${index}]`)));
  }
  if (!isRecord(expected)) return expected === actual ? undefined : place;
  const { $matches, $oneOf } = expected;
  if (typeof $matches === "string") return matchExpression($matches, String(actual ?? "")) === true ? undefined : place;
  if (Array.isArray($oneOf)) return $oneOf.some((one) => findMismatch(one, actual) === undefined) ? undefined : place;
  if (!isRecord(actual)) return place;
  return findFirst(
    Object.entries(expected).map(
      ([key, one]) =>
        () =>
          findMismatch(one, Object.hasOwn(actual, key) ? actual[key] : undefined, path === "" ? key : `${path}.${key}`),
    ),
  );
}

function findFirst(finders: readonly (() => string | undefined)[]): string | undefined {
  for (const find of finders) {
    const found = find();
    if (found !== undefined) return found;
  }
  return undefined;
}
