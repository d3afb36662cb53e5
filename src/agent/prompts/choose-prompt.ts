import type { Model } from "../../core/model.ts";
import type { Locale } from "../../kit/locale.ts";
import type { FileName } from "./prompt-names.ts";

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
