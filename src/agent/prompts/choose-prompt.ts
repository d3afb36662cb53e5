import type { Model } from "../../core/model.ts";
import type { Locale } from "../../kit/errors.ts";

/** For whom a prompt is. */
export interface PromptReader {
  model: Pick<Model, "provider" | "model">;
  locale: Locale;
}

/** A prompt of the user's own. */
export interface CustomPrompt {
  name: FileName;
  /** Only for models of this family. */
  family?: string | undefined;
  /** Only in this language. */
  locale?: Locale | undefined;
  text: string;
}

/**
 * The prompt that fits best: the one with the longest family that fits the model, else one without a family; of two for
 * the same, the one for the language alone. Undefined when none fits.
 */
export function choosePrompt(
  prompts: readonly CustomPrompt[],
  name: FileName,
  { model, locale }: PromptReader,
): CustomPrompt | undefined {
  const words = toHyphenated(`${model.provider}/${model.model}`);
  return prompts
    .filter((prompt) => prompt.name === name && (prompt.locale ?? locale) === locale)
    .filter(({ family }) => family === undefined || words.includes(toHyphenated(family)))
    .toSorted((a, b) => weight(b) - weight(a))[0];
}

function weight({ family, locale }: CustomPrompt): number {
  return 2 * toHyphenated(family ?? "").length + (locale === undefined ? 0 : 1);
}

/**
 * A name in its words, each after a hyphen: `openrouter/anthropic/claude-3.5` becomes `-openrouter-anthropic-claude-3-5`.
 * A family fits a model when its words stand in the provider's and the model's name, the last perhaps only begun: `claude`,
 * `claude-3` and `openrouter` fit this one, `aude` does not.
 */
export function toHyphenated(name: string): string {
  return `-${name}`.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
}

/** The prompts that models get: `decide` is for a model beside which another answers, `decide-alone` for one that does both. */
export const promptNames = ["decide", "decide-alone", "answer", "chat", "plan", "compress"] as const;

/** Sentences that prompts share: each stands in a file of its own and fills the place of its name. */
export const partNames = ["guide", "search", "cite", "untrusted"] as const;

export type PromptName = (typeof promptNames)[number];

export type PartName = (typeof partNames)[number];

export type FileName = PromptName | PartName;

export function isFileName(name: string): name is FileName {
  return isPartName(name) || promptNames.some((known) => known === name);
}

export function isPartName(name: string): name is PartName {
  return partNames.some((known) => known === name);
}

/** The places that a file may have; a part has no parts. */
export function listPlaceholders(name: FileName): readonly string[] {
  const parts = isPartName(name) ? [] : partNames;
  const tools = name === "plan" ? ["tools"] : [];
  return ["today", "marker", ...tools, ...parts];
}

/** The places that a file must have, one of each group: who reads untrusted text is told its mark, who plans the tools. */
export function listRequiredPlaceholders(name: FileName): readonly (readonly string[])[] {
  if (name === "untrusted") return [["marker"]];
  if (name === "chat" || isPartName(name)) return [];
  return name === "plan" ? [["untrusted", "marker"], ["tools"]] : [["untrusted", "marker"]];
}
