import { createHash } from "node:crypto";
import type { ModelChanges } from "../app/models/change-models.ts";
import { configError } from "../config/config-errors.ts";
import type { CaseFile, EvalCase } from "./case-file.ts";
import { toSortedJson } from "./recording/plain-request.ts";

/** Is a pair of models, `decider+answerer`, or one model that plays both roles. */
export interface ModelPair {
  /** Is the pair as it was written, or the models of the configuration. */
  name: string;
  /** Is undefined for the models of the configuration. */
  changes: ModelChanges | undefined;
}

/** Names the models that the configuration has. */
export const configuredPair = "configured";

/** Reads `decider+answerer`, or one model. Throws a `config` error for anything else. */
export function parseModelPair(written: string): ModelPair {
  const name = written.trim();
  const [functionCall = "", answer, ...more] = name.split("+").map((part) => part.trim());
  if (functionCall === "" || answer === "" || more.length > 0)
    throw configError("models", {
      zh: `${JSON.stringify(written)} 不是模型组合（允许：决策模型+回答模型，或单个模型，写作 provider/model）`,
      en: `${JSON.stringify(written)} is no pair of models (allowed: decider+answerer, or one model, as provider/model)`,
    });
  return { name, changes: { functionCall, answer: answer ?? null } };
}

/** Names the prompts that are in force without an evaluation. */
const defaultPrompts = "default";

/** Holds the prompts of a row: a folder, or the built-in ones. */
export interface PromptSet {
  name: string;
  directory: string | undefined;
}

export function listPromptSets(
  { prompts = {} }: Pick<CaseFile, "prompts">,
  configured: string | undefined,
): PromptSet[] {
  const own = Object.entries(prompts).map(([name, { directory }]) => ({ name, directory }));
  return [{ name: defaultPrompts, directory: configured }, ...own];
}

/** Is one question to one pair with one set of prompts. */
export interface Attempt {
  pair: string;
  prompts: string;
  case: EvalCase;
  /** Starts at 1. */
  repetition: number;
}

/** Lists the attempts of one row of the matrix, in the order of the file. */
export function listAttempts(
  pair: ModelPair,
  prompts: PromptSet,
  { cases }: Pick<CaseFile, "cases">,
  repeat: number,
): Attempt[] {
  return Array.from({ length: repeat }, (_, index) => index + 1).flatMap((repetition) =>
    cases.map((one) => ({ pair: pair.name, prompts: prompts.name, case: one, repetition })),
  );
}

/** Names an attempt for people and in recordings. */
export function toAttemptName({ pair, prompts, case: { id }, repetition }: Attempt): string {
  return `${pair} / ${prompts} / ${id} / ${repetition}`;
}

/** Returns what an earlier result must have to stand for this attempt: the name, and a case that has not changed. */
export function toAttemptKey(attempt: Attempt): string {
  const written = toSortedJson(JSON.parse(JSON.stringify(attempt.case)));
  const hash = createHash("sha256").update(written).digest("hex").slice(0, 16);
  return `${toAttemptName(attempt)} / ${hash}`;
}
