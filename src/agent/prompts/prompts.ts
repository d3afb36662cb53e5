import { readFileSync } from "node:fs";
import type { Locale } from "../../kit/locale.ts";
import {
  type CustomPrompt,
  choosePrompt,
  type FileName,
  fillPlaceholders,
  isPartName,
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

/** Puts the user's own prompts, already checked, before the built-in ones. */
export function createPrompts(own: readonly CustomPrompt[] = []): Prompts {
  const builtIn = createBuiltInPrompts();
  const find = (name: FileName, reader: PromptReader): string =>
    choosePrompt(own, name, reader)?.text ?? builtIn(name, reader.locale);
  return {
    render(name, reader, variables) {
      const fill = (place: string): string => {
        const value = variables[place];
        if (value !== undefined) return value;
        if (place === "today") return formatDay(new Date());
        if (isPartName(place)) return fillPlaceholders(find(place, reader), fill);
        throw new Error(`The prompt ${name} was given no value for {${place}}.`);
      };
      const template = removeUnwanted(find(name, reader), variables);
      return fillPlaceholders(removeUnwantedEnds(template, variables), fill).trim();
    },
  };
}

/** Removes each line that holds only an unwanted part. */
function removeUnwanted(template: string, variables: Readonly<Record<string, string>>): string {
  const isUnwanted = (line: string): boolean => {
    const place = /^[\s*-]*\{([a-z]+)\}\s*$/.exec(line)?.[1];
    return place !== undefined && variables[place] === "";
  };
  return template
    .split("\n")
    .filter((line) => !isUnwanted(line))
    .join("\n");
}

/** Removes an unwanted part at the end of a line, with the blanks before it. */
function removeUnwantedEnds(template: string, variables: Readonly<Record<string, string>>): string {
  return template.replace(/ *\{([a-z]+)\}$/gm, (whole, place: string) => (variables[place] === "" ? "" : whole));
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
