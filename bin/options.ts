import type { Flags } from "../src/config.ts";
import { DuetError } from "../src/core/errors.ts";

/** One row a flag; the same table feeds yargs and the quick reader of `serve`. All values arrive as text. */
export interface Option {
  type: "string" | "boolean";
  describe: string;
  choices?: readonly string[];
}

export const sharedOptions = {
  config: { type: "string", describe: "configuration file" },
  mode: { type: "string", describe: "how to answer", choices: ["chat", "agent"] },
  "function-call-model": { type: "string", describe: "the model that picks tools: provider/model, or JSON" },
  "answer-model": { type: "string", describe: "the model that writes the answer: provider/model, or JSON" },
  "max-iterations": { type: "string", describe: "rounds of deciding and calling tools, 1 to 10" },
  "max-tool-calls": { type: "string", describe: "tool calls in all, 1 to 50" },
  "max-execution-time": { type: "string", describe: "seconds for one question, 10 to 300" },
  "max-tokens": { type: "string", describe: "output tokens of the answer" },
  tools: { type: "string", describe: "only tools that fit these patterns, comma-separated" },
  "no-tools": { type: "string", describe: "never tools that fit these patterns, comma-separated" },
  search: { type: "boolean", describe: "offer web search" },
  "no-search": { type: "boolean", describe: "offer no web search" },
  locale: { type: "string", describe: "language of texts", choices: ["zh", "en"] },
  verbose: { type: "boolean", describe: "each thought, tool input and output to stderr" },
  "no-color": { type: "boolean", describe: "no colours" },
} as const satisfies Record<string, Option>;

/** Parsed flags by name, as either reader gives them. */
export type Values = Readonly<Record<string, unknown>>;

/** The flags as `loadConfig` takes them. Throws a `config` error for a number that is none. */
export function toFlags(values: Values): Flags {
  return {
    config: text(values.config),
    mode: text(values.mode),
    functionCallModel: text(values["function-call-model"]),
    answerModel: text(values["answer-model"]),
    maxIterations: number(values, "max-iterations"),
    maxToolCalls: number(values, "max-tool-calls"),
    maxExecutionTime: number(values, "max-execution-time"),
    maxTokens: number(values, "max-tokens"),
    tools: list(values.tools),
    noTools: list(values["no-tools"]),
    search: searchFlag(values),
    locale: text(values.locale),
    verbose: values.verbose === true ? true : undefined,
  };
}

function searchFlag(values: Values): boolean | undefined {
  if (values["no-search"] === true || values.search === false) return false;
  return values.search === true ? true : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function list(value: unknown): string[] | undefined {
  return text(value)
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function number(values: Values, name: string): number | undefined {
  const given = text(values[name]);
  if (given === undefined) return undefined;
  const value = Number(given);
  if (given.trim() !== "" && Number.isFinite(value)) return value;
  throw new DuetError({
    code: "config",
    text: {
      zh: `--${name}: ${JSON.stringify(given)} 不是数字`,
      en: `--${name}: ${JSON.stringify(given)} is not a number`,
    },
  });
}
