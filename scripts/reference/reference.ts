// The reference of the library under docs/reference, from the comments and declarations of what `src/index.ts` exports.
import * as z from "zod";
import {
  type Declaration,
  type ExportedName,
  findDeclaration,
  findFileOf,
  listExports,
  readSource,
} from "./declarations.ts";
import { type Schema, toTypeText } from "./type-text.ts";

interface Topic {
  readonly page: string;
  readonly title: string;
  readonly about: string;
  /** The files and folders of `src` whose exports the page has, in this order. */
  readonly from: readonly string[];
}

/** The pages, in the order of the index. A file that none of them has ends `npm run docs`. */
const topics: readonly Topic[] = [
  {
    page: "agent",
    title: "The agent and its questions",
    about: "`createDuet`, its options, what `ask` takes, and the functions that a program passes.",
    from: [
      "index.ts",
      "app/create-duet.ts",
      "app/duet-options.ts",
      "app/models/model-options.ts",
      "app/ask/ask-options.ts",
    ]
      .concat(["app/ask/ask-request.ts", "app/ask/merge-limits.ts", "core/attachment.ts", "agent/loop/evaluator.ts"])
      .concat(["core/questions/", "core/forms/"]),
  },
  {
    page: "results",
    title: "Results, traces and errors",
    about: "What a run ends with, what is kept of it, and what is thrown.",
    from: ["core/run/outcome.ts", "core/run/trace.ts", "core/sources.ts", "kit/errors.ts"],
  },
  { page: "events", title: "Events", about: "What `stream` yields.", from: ["core/run/events.ts"] },
  {
    page: "models",
    title: "Models and messages",
    about: "A model of your own, and what it reads and writes.",
    from: [
      "core/model/model.ts",
      "app/models/user-model.ts",
      "core/model/messages.ts",
      "core/model/message-content.ts",
    ],
  },
  {
    page: "tools",
    title: "Tools and consent",
    about: "Tools of your own, and the calls that a person decides.",
    from: ["tools/user-tool.ts", "core/tools/tool.ts"],
  },
  {
    page: "store",
    title: "Stores",
    about: "A store of conversations of your own.",
    from: ["core/store/store.ts", "core/store/"],
  },
  { page: "values", title: "Plain values", about: "JSON and languages.", from: ["kit/json.ts", "kit/locale.ts"] },
];

interface Entry extends ExportedName {
  readonly page: string;
  readonly comment: string;
  readonly code: string;
  /** Whether a program can import it; others are only part of what it can. */
  readonly isExported: boolean;
}

/** Writes the pages of the reference: their names below `docs/reference`, with their text. */
export async function writeReference(): Promise<Map<string, string>> {
  const entries = await listEntries();
  const pages = topics.map(({ page, title, about }) => {
    const own = entries.filter((entry) => entry.page === page);
    const head = `# ${title}\n\n${about} ${generated} [All names](README.md).\n`;
    return [`${page}.md`, [head, ...own.map((entry) => renderEntry(entry, entries))].join("\n")] as const;
  });
  return new Map([["README.md", renderIndex(entries)], ...pages]);
}

const generated = "Written by `npm run docs` from the comments of the source.";

/** Lists the names that have no comment, for which the reference would say nothing. */
export async function listUndocumented(): Promise<string[]> {
  const entries = await listEntries();
  return entries
    .filter(({ comment, isExported }) => isExported && comment === "")
    .map(({ name, file }) => `src/${file}: ${name}`);
}

async function listEntries(): Promise<Entry[]> {
  const exported = listExports();
  const names = new Map(exported.map(({ declared, name }) => [declared, name]));
  const inferred = await readInferred(exported);
  const entries = exported.map((each) => toEntry(each, true, names, inferred));
  const all = [...entries];
  for (const entry of all)
    for (const part of listParts(entry, names, inferred))
      if (all.every(({ name }) => name !== part.name)) all.push(toEntry(part, false, names, inferred));
  const order = topics.flatMap(({ from }) => from);
  const rank = ({ file }: Entry): number => order.findIndex((from) => file.startsWith(from));
  return all.sort((a, b) => rank(a) - rank(b));
}

/** The types without a name outside that an exported one extends, or that its schema has a part for. */
function listParts(
  { file, code }: Entry,
  names: ReadonlyMap<string, string>,
  inferred: ReadonlyMap<string, Inferred>,
): ExportedName[] {
  const [, heritage = ""] = /^interface \w+(?:<[^{]*>)? extends ([^{]+) \{/.exec(code) ?? [];
  const extended = readWords(heritage).map((name) => ({ name, at: findFileOf(file, name) }));
  const inSchema = code.startsWith("type ")
    ? readWords(code).map((name) => ({ name, at: inferred.get(name)?.file }))
    : [];
  return [...extended, ...inSchema].flatMap(({ name, at }) =>
    at === undefined || names.has(name) || keptOut.test(name) ? [] : [{ name, declared: name, file: at }],
  );
}

/** What is only a list of keys, which are left out of the type that they belong to. */
const keptOut = /^InternalField$/;

function readWords(code: string): string[] {
  return [...new Set(code.replaceAll(/\/\*\*[\s\S]*?\*\//g, "").match(/\b[A-Z]\w+\b/g))];
}

/** Leaves out the members of a type that `Omit` leaves out where a program sees it. */
function withoutInternal({ file, code, name }: Declaration): string {
  if (name !== "AskRequest") return code;
  const keys = findDeclaration("app/ask/ask-options.ts", "InternalField")?.code.match(/(?<=")\w+(?=")/g) ?? [];
  if (keys.length === 0) throw new Error(`src/${file}: what a program cannot give is not found`);
  const member = new RegExp(
    `^(?:  /\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?  (?:${keys.join("|")})\\??: [\\s\\S]*?;\\n(?=  \\S|\\})`,
    "gm",
  );
  return code.replaceAll(member, "");
}

function toEntry(
  each: ExportedName,
  isExported: boolean,
  names: ReadonlyMap<string, string>,
  inferred: ReadonlyMap<string, Inferred>,
): Entry {
  const declaration = findDeclaration(each.file, each.declared);
  if (declaration === undefined) throw new Error(`src/${each.file} does not declare ${each.declared}`);
  const page = topics.find(({ from }) => from.some((start) => each.file.startsWith(start)))?.page;
  if (page === undefined && isExported)
    throw new Error(`src/${each.file} has no page in scripts/reference/reference.ts`);
  const known = inferred.get(each.declared) ?? readListed(declaration);
  const code = known
    ? `type ${each.declared} =${known.text.startsWith("\n") ? "" : " "}${known.text};`
    : withoutInternal(declaration);
  return {
    ...each,
    page: page ?? "agent",
    isExported,
    comment: declaration.comment || (known?.comment ?? ""),
    code: code.replaceAll(/\b[A-Za-z]\w*\b/g, (word) => names.get(word) ?? word),
  };
}

/** Reads a type that names the texts of a list of its file. */
function readListed({ file, name, code }: Declaration): Inferred | undefined {
  const [, list = ""] = new RegExp(`^type ${name} = \\(typeof (\\w+)\\)\\[number\\];$`).exec(code) ?? [];
  const texts = list === "" ? undefined : findDeclaration(file, list)?.code.match(/"[^"]+"/g);
  return texts ? { file, comment: "", text: texts.map((text) => `\n  | ${text}`).join("") } : undefined;
}

interface Inferred {
  /** Where the type is declared. */
  readonly file: string;
  readonly text: string;
  readonly comment: string;
}

/**
 * Reads the types that the source infers from schemas, with the schemas' own comments. Those beside an exported one are read, too:
 * it may be made of them.
 */
async function readInferred(exported: readonly ExportedName[]): Promise<Map<string, Inferred>> {
  const names = new Map(exported.map(({ declared, name }) => [declared, name]));
  const files = [...new Set(exported.map(({ file }) => file))];
  const aliases = files.flatMap((file) =>
    [...readSource(file).matchAll(/^export type (\w+) = z\.infer<(?:ReturnType<)?typeof (\w+)>{1,2};$/gm)].map(
      ([, declared = "", constant = ""]) => ({ file, declared, constant, name: names.get(declared) ?? declared }),
    ),
  );
  const read = await Promise.all(
    aliases.map(async ({ name, declared, file, constant }) => {
      const at = findFileOf(file, constant);
      const module: Record<string, z.ZodType | (() => z.ZodType)> = at
        ? await import(new URL(`../../src/${at}`, import.meta.url).href)
        : {};
      // Some are built when they are first used.
      const found = module[constant];
      const zod = typeof found === "function" ? found() : found;
      if (at === undefined || zod === undefined) throw new Error(`src/${file}: there is no schema ${constant}`);
      const { $schema: _, ...schema } = z.toJSONSchema(zod, { io: "output", unrepresentable: "any", reused: "inline" });
      // A schema of JSON is read here by the shape that Zod gives it.
      return { name, declared, file, schema: schema as Schema, source: findDeclaration(at, constant) };
    }),
  );
  const named = new Map(
    read.filter(({ schema }) => isWorthName(schema)).map(({ name, schema }) => [toKey(schema), name]),
  );
  return new Map(
    read.map(({ name, declared, file, schema, source }) => {
      const findName = (inner: Schema): string | undefined => {
        const found = named.get(toKey(inner));
        return found === name ? undefined : found;
      };
      const text = toTypeText(schema, { findName, findComment: (property) => findPropertyComment(source, property) });
      return [declared, { text, file, comment: source?.comment ?? "" }];
    }),
  );
}

/** Texts and numbers are alike in too many places to be taken for a type of their own. */
function isWorthName({ type, properties, enum: values, anyOf, oneOf }: Schema): boolean {
  return (
    (type === "object" && properties !== undefined) ||
    values !== undefined ||
    anyOf !== undefined ||
    oneOf !== undefined
  );
}

function toKey({ description: _, ...schema }: Schema): string {
  return JSON.stringify(schema);
}

function findPropertyComment(source: Declaration | undefined, property: string): string | undefined {
  const found = new RegExp(`^  /\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n  ${property}:`, "m").exec(source?.code ?? "")?.[1];
  return found?.replaceAll(/\s*\n\s*\*? ?/g, " ").trim();
}

function renderEntry({ name, comment, code, isExported }: Entry, entries: readonly Entry[]): string {
  const note = isExported ? "" : "_Not exported by itself._";
  const words = new Set(readWords(code));
  const links = entries.filter((each) => each.name !== name && words.has(each.name)).map((each) => toLink(each));
  const uses = links.length === 0 ? "" : `See ${links.join(", ")}.`;
  const block = `\`\`\`ts run=reference\n${code}\n\`\`\``;
  return `${[`## \`${name}\``, note, linkPages(comment), block, uses].filter((part) => part !== "").join("\n\n")}\n`;
}

/** Comments name pages of the documents by their paths. */
function linkPages(comment: string): string {
  return comment.replaceAll(
    /(?<!\]\(|[\w/])docs\/([\w/-]+)\.md(#[\w-]+)?/g,
    (_, page: string, anchor = "") => `[${page}](../${page}.md${anchor})`,
  );
}

function toLink({ name, page }: Entry): string {
  return `[${name}](${page}.md#${name.toLowerCase()})`;
}

function renderIndex(entries: readonly Entry[]): string {
  const rows = topics.map(({ page, title, about }) => {
    const own = entries.filter((entry) => entry.page === page && entry.isExported);
    return `## [${title}](${page}.md)\n\n${about}\n\n${own.map(toLink).join(", ")}\n`;
  });
  const head = `# Reference of the library\n\n[All pages](../README.md) · [how to use it](../library.md)\n\nWhat \`import { … } from "duet-mcp"\` gives. ${generated}\n`;
  return [head, ...rows].join("\n");
}
