import type { Tool } from "../../core/tools/tool.ts";
import { isRecord } from "../../kit/json.ts";
import { type ReadWords, toPairs } from "./words.ts";

/** The tool's name as its server calls it: what stands behind the server's prefix. */
export function toOwnName({ name, source }: Pick<Tool, "name" | "source">): string {
  const prefix = `${source}__`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name.slice(name.indexOf("__") + 1);
}

/** Characters of a description, and of those of all parameters; the rest repeats, or is no description. */
const longestText = 500;
const longestParameter = 80;
const mostParameters = 20;
const mostValues = 10;

/**
 * Tells `count` each term of a tool with how much the tool is about it, as often as the term comes: a name says more than a
 * description, and in a long text each word counts less.
 */
export function countWords(tool: Tool, read: ReadWords, count: (term: string, weight: number) => void): void {
  function add(text: string, weight: number): void {
    if (text === "") return;
    const { stems, runs } = read(text);
    const each = weight / (1 + (stems.length + 2 * runs.length) / 80);
    for (const stem of stems) count(stem, each);
    for (const run of runs) {
      for (const character of run) count(character, each);
      if (run.length > 1) for (const pair of toPairs(run)) count(pair, each);
    }
  }
  const { names, descriptions, values } = parametersOf(tool);
  add(toOwnName(tool), 4);
  add(tool.source, 2);
  add(tool.annotations.title ?? "", 2);
  add(tool.description.slice(0, longestText), 1);
  add(names, 0.7);
  add(descriptions.slice(0, longestText), 0.5);
  add(values.slice(0, longestText), 0.3);
}

/** The words of all parameters together, by kind. */
function parametersOf({ inputSchema }: Tool): { names: string; descriptions: string; values: string } {
  const properties = isRecord(inputSchema.properties) ? inputSchema.properties : {};
  const names = Object.keys(properties).slice(0, mostParameters);
  let descriptions = "";
  let values = "";
  for (const name of names) {
    const schema = properties[name];
    if (!isRecord(schema)) continue;
    if (typeof schema.description === "string") descriptions += ` ${schema.description.slice(0, longestParameter)}`;
    if (Array.isArray(schema.enum)) values += ` ${schema.enum.slice(0, mostValues).filter(isWord).join(" ")}`;
  }
  return { names: names.join(" "), descriptions, values };
}

function isWord(value: unknown): boolean {
  return typeof value === "string" && value.length < 40;
}
