import { Script } from "node:vm";

/** Limits a search, in milliseconds: some patterns take exponential time. */
const searchMs = 1000;

/** Says whether a text has a match of a regular expression (flags i and u); undefined where that takes too long to say. */
export function matchExpression(pattern: string, text: string): boolean | undefined {
  // Nothing but a script of its own can be stopped in the middle of a search. JSON is JavaScript, so neither text can leave its quotes.
  const script = new Script(`new RegExp(${JSON.stringify(pattern)}, "iu").test(${JSON.stringify(text)})`);
  try {
    return script.runInThisContext({ timeout: searchMs }) === true;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw thrown;
  }
}
