import { readFileSync } from "node:fs";
import { LRUCache } from "lru-cache";
import type { Locale } from "../../kit/locale.ts";
import {
  type CustomPrompt,
  choosePrompt,
  type FileName,
  fillParts,
  fillPlaceholders,
  type PromptName,
  type PromptReader,
} from "./choose-prompt.ts";

/** Holds the prompts in force, in both languages and with their variants for model families. */
export interface Prompts {
  /**
   * Returns the prompt for that model. `variables` fill its `{name}` placeholders: `marker`, in `plan` also `tools`, and in
   * `error` also `tool` and `error`; lists of tools and errors are fenced. The day and the parts are always known; an unwanted part is given as "". Throws when a placeholder has no value.
   */
  render(name: PromptName, reader: PromptReader, variables: Readonly<Record<string, string>>): string;
}

/** Limits the templates that are kept with their parts in place. */
const mostKept = 100;

/** Puts the user's own prompts, already checked, before the built-in ones. */
export function createPrompts(own: readonly CustomPrompt[] = []): Prompts {
  const builtIn = createBuiltInPrompts();
  const kept = new LRUCache<string, string>({ max: mostKept });
  const find = (name: FileName, reader: PromptReader): string =>
    choosePrompt(own, name, reader)?.text ?? builtIn(name, reader.locale);

  /** Returns a prompt with its parts and without what is not wanted: the same for all runs but for the values of its places. */
  function renderTemplate(name: PromptName, reader: PromptReader, unwanted: readonly string[]): string {
    const key = [name, reader.locale, reader.model.provider, reader.model.model, ...unwanted].join(" ");
    const known = kept.get(key);
    if (known !== undefined) return known;
    const template = removeUnwantedEnds(removeUnwanted(find(name, reader), unwanted), unwanted);
    const whole = fillParts(template, (part) => (unwanted.includes(part) ? undefined : find(part, reader)));
    kept.set(key, whole);
    return whole;
  }

  return {
    render(name, reader, variables) {
      const unwanted = Object.keys(variables).filter((place) => variables[place] === "");
      const fill = (place: string): string => {
        const value = variables[place];
        if (value !== undefined) return value;
        if (place === "today") return formatDay(new Date());
        throw new Error(`The prompt ${name} was given no value for {${place}}.`);
      };
      return fillPlaceholders(renderTemplate(name, reader, unwanted), fill).trim();
    },
  };
}

/** Removes each line that holds only an unwanted part. */
function removeUnwanted(template: string, unwanted: readonly string[]): string {
  const isUnwanted = (line: string): boolean => {
    const place = /^[\s*-]*\{([a-z]+)\}\s*$/.exec(line)?.[1];
    return place !== undefined && unwanted.includes(place);
  };
  return template
    .split("\n")
    .filter((line) => !isUnwanted(line))
    .join("\n");
}

/** Removes an unwanted part at the end of a line, with the blanks before it. */
function removeUnwantedEnds(template: string, unwanted: readonly string[]): string {
  return template.replace(/ *\{([a-z]+)\}$/gm, (whole, place: string) => (unwanted.includes(place) ? "" : whole));
}

/** Returns the local day, as 2026-11-21. */
export function formatDay(time: Date): string {
  const day = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
  return day.map((number) => String(number).padStart(2, "0")).join("-");
}

/** The build puts the texts into a folder beside the bundle that contains this module. */
const folder = import.meta.url.endsWith(".ts") ? "." : "./prompts";

/** Reads a prompt that comes with the program; each file once. */
export type BuiltInPrompts = (name: FileName, locale: Locale) => string;

export function createBuiltInPrompts(): BuiltInPrompts {
  const read = new Map<string, string>();
  return (name, locale) => {
    const file = `${folder}/${locale}/${name}.md`;
    const text = read.get(file) ?? readFileSync(new URL(file, import.meta.url), "utf8").trim();
    read.set(file, text);
    return text;
  };
}
