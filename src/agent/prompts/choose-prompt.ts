import type { Model } from "../../core/model/model.ts";
import type { Locale } from "../../kit/locale.ts";

export interface PromptReader {
  model: Pick<Model, "provider" | "model">;
  locale: Locale;
}

export interface CustomPrompt {
  name: FileName;
  /** Restricts the prompt to models of this family. */
  family?: string | undefined;
  /** Restricts the prompt to this language. */
  locale?: Locale | undefined;
  text: string;
  /** Is the path of the file. */
  file?: string;
}

/**
 * Returns the prompt that fits best: the one with the longest family that fits the model, else one without a family. Of two for
 * the same family, the one for the language alone is chosen. Returns undefined when none fits.
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
    .toSorted((a, b) => weighPrompt(b) - weighPrompt(a))[0];
}

function weighPrompt({ family, locale }: CustomPrompt): number {
  return 2 * toHyphenated(family ?? "").length + (locale === undefined ? 0 : 1);
}

/**
 * Converts a name to its words, each after a hyphen: `openrouter/anthropic/claude-3.5` becomes
 * `-openrouter-anthropic-claude-3-5`. A family fits a model when its words appear in the provider's and the model's name, where
 * the last may be incomplete: `claude`, `claude-3` and `openrouter` fit this one, `aude` does not.
 */
export function toHyphenated(name: string): string {
  return `-${name}`.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
}

/**
 * These are the prompts that models get. `decide` is for a model that works with a separate answer model, `decide-alone` for one
 * that does both.
 */
export const promptNames = ["decide", "decide-alone", "answer", "chat", "plan", "compress", "error"] as const;

/** Sentences that prompts share: each stands in a file of its own and fills the place of its name. */
export const partNames = ["guide", "search", "cite", "mark", "untrusted"] as const;

export type PromptName = (typeof promptNames)[number];

export type PartName = (typeof partNames)[number];

export type FileName = PromptName | PartName;

export function isFileName(name: string): name is FileName {
  return isPartName(name) || promptNames.some((known) => known === name);
}

export function isPartName(name: string): name is PartName {
  return partNames.some((known) => known === name);
}

/** Lists the placeholders that a file may have. A part cannot contain other parts. */
export function listPlaceholders(name: FileName): readonly string[] {
  const parts = isPartName(name) ? [] : partNames;
  return ["today", "day", "place", "marker", "calls", "rounds", ...(ownPlaceholders[name] ?? []), ...parts];
}

/** Lists the placeholders of single files. */
const ownPlaceholders: Partial<Record<FileName, readonly string[]>> = { plan: ["tools"], error: ["tool", "error"] };

/**
 * Lists the placeholders that a file must have, one of each group. A model that reads untrusted text must know its marker, and
 * one that plans must know the tools, and one whose call failed must know why.
 */
export function listRequiredPlaceholders(name: FileName): readonly (readonly string[])[] {
  if (name === "untrusted") return [["marker"]];
  if (name === "error") return [["error"]];
  if (name === "chat" || isPartName(name)) return [];
  return name === "plan" ? [["untrusted", "marker"], ["tools"]] : [["untrusted", "marker"]];
}

/**
 * In a prompt `{word}`, of lower-case letters only, is a placeholder (docs/development/agent-architecture.md#prompt-templates).
 * `{{word}}` stands for `{word}` itself, and every other brace, as in JSON or `{{step_1}}`, for itself.
 */
const place = /\{\{([a-z]+)\}\}|\{([a-z]+)\}/g;

/** Returns the names of the placeholders, each once, in their order. */
export function findPlaceholders(template: string): string[] {
  return [...new Set([...template.matchAll(place)].flatMap(([, , name]) => name ?? []))];
}

/** Puts the texts of parts into their places, and leaves every other place, and a part without a text, as it is. */
export function fillParts(template: string, find: (part: PartName) => string | undefined): string {
  return template.replace(place, (whole: string, literal: string | undefined, name: string) =>
    literal === undefined && isPartName(name) ? (find(name) ?? whole) : whole,
  );
}

/** Fills each place once: what was filled in is not looked at again. */
export function fillPlaceholders(template: string, fill: (name: string) => string): string {
  return template.replace(place, (_, literal: string | undefined, name: string) =>
    literal === undefined ? fill(name) : `{${literal}}`,
  );
}
