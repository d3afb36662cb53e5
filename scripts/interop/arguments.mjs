// Reads the command line of both scripts. What is not understood ends the process with one line on stderr and exit code 2.
import { parseArgs } from "node:util";

/** The longest limit in seconds that a timer of Node can keep. */
const maxSeconds = 2_147_483;

/** Reads options and names, as `parseArgs` does. */
export function readArguments(options) {
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch ({ message }) {
    return exitWithInputError(message);
  }
}

/** Ends the process unless each of `values` is in `allowed`; `matches` decides when that is. */
export function requireKnown(noun, values, allowed, matches = (known, value) => known === value) {
  const unknown = values.find((value) => !allowed.some((known) => matches(known, value)));
  if (unknown !== undefined) exitWithInputError(`unknown ${noun} "${unknown}" (allowed: ${allowed.join(", ")})`);
}

/** Returns the milliseconds of an option in seconds. */
export function readSeconds(option, text) {
  const seconds = Number(text);
  const isAllowed = seconds > 0 && seconds <= maxSeconds;
  if (!isAllowed) exitWithInputError(`invalid ${option} "${text}" (allowed: seconds above 0 and up to ${maxSeconds})`);
  return seconds * 1000;
}

function exitWithInputError(message) {
  console.error(message);
  process.exit(2);
}
