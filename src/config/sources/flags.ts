import { type FlaggedKey, flaggedLimits } from "../../core/limits.ts";
import { readModelFlag } from "../models/model-text.ts";
import type { Path } from "./setting-path.ts";
import type { Assignment } from "./source.ts";

type LimitFlags = { [Key in FlaggedKey]?: number | undefined };

/** Holds the configuration flags of the command line. A flag that is not given is absent. */
export interface Flags extends LimitFlags {
  config?: string;
  mode?: string;
  functionCallModel?: string;
  answerModel?: string;
  tools?: string[];
  noTools?: string[];
  search?: boolean;
  locale?: string;
  verbose?: boolean;
  screenReader?: boolean;
}

/**
 * Reads the settings of the flags. `denied` holds the tools that the file denies: `--no-tools` adds to them, and no flag removes
 * one.
 */
export async function readFlags(
  flags: Flags,
  denied: readonly string[],
  secrets: readonly string[],
): Promise<Assignment[]> {
  const given = (name: string, path: Path, value: unknown): Assignment[] => {
    if (value === undefined) return [];
    return [{ path, value, written: String(value), origin: { from: "flag", name } }];
  };
  const model = async (name: string, path: Path, text: string | undefined): Promise<Assignment[]> => {
    if (text === undefined) return [];
    const value = await readModelFlag(text, name, secrets);
    return [{ path, value, written: text, origin: { from: "flag", name } }];
  };
  return [
    ...(await model("--function-call-model", ["models", "functionCall"], flags.functionCallModel)),
    ...(await model("--answer-model", ["models", "answer"], flags.answerModel)),
    ...given("--mode", ["agent", "mode"], flags.mode),
    ...flaggedLimits.flatMap(({ key, flag, flagPath = ["agent", key] }) => given(`--${flag}`, flagPath, flags[key])),
    ...given("--verbose", ["agent", "verbose"], flags.verbose),
    ...given("--tools", ["tools", "allow"], flags.tools),
    ...given("--no-tools", ["tools", "deny"], flags.noTools && [...denied, ...flags.noTools]),
    ...given(flags.search === false ? "--no-search" : "--search", ["search", "enabled"], flags.search),
    ...given("--locale", ["locale"], flags.locale),
    ...given("--screen-reader", ["terminal", "screenReader"], flags.screenReader),
  ];
}
