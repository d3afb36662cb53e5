import { isRecord, toText } from "../../kit/json.ts";
import type { RemoteTool } from "../lists/listing.ts";

/** Holds a prompt, a resource or a template as its server lists it. */
export type Entry = Readonly<Record<string, unknown>>;

/**
 * Returns the texts of an entry that a model may see, in the shape of a tool, so that they are compared, shown and approved as
 * tools are. Returns undefined for an entry without any: its name alone says nothing that has to be read.
 */
export function toTexts(entry: Entry, key: string): RemoteTool | undefined {
  const title = toText(entry.title);
  const description = toText(entry.description);
  const properties = Object.fromEntries(listArguments(entry).flatMap(toProperty));
  const hasArguments = Object.keys(properties).length > 0;
  if (title === "" && description === "" && !hasArguments) return undefined;
  return {
    name: toText(entry[key]),
    description,
    inputSchema: hasArguments ? { properties } : {},
    annotations: title === "" ? {} : { title },
  };
}

function listArguments({ arguments: all }: Entry): Entry[] {
  return (Array.isArray(all) ? all : []).filter(isRecord);
}

function toProperty(argument: Entry): [string, Entry][] {
  const texts = Object.entries({ title: argument.title, description: argument.description });
  const given = texts.filter(([, text]) => typeof text === "string" && text !== "");
  return given.length === 0 ? [] : [[toText(argument.name), Object.fromEntries(given)]];
}

/** Returns the entry with these texts in place of its own; without any where there are none. */
export function withTexts(entry: Entry, texts: RemoteTool | undefined): Entry {
  const { title: _, description: __, ...rest } = entry;
  const properties = isRecord(texts?.inputSchema.properties) ? texts.inputSchema.properties : {};
  const approved = {
    ...(texts?.annotations.title !== undefined && { title: texts.annotations.title }),
    ...(texts !== undefined && texts.description !== "" && { description: texts.description }),
  };
  if (!Array.isArray(entry.arguments)) return { ...rest, ...approved };
  const replaced = listArguments(entry).map(({ title: _, description: __, ...argument }) => {
    const own = properties[toText(argument.name)];
    return isRecord(own) ? { ...argument, ...own } : argument;
  });
  return { ...rest, ...approved, arguments: replaced };
}
