// What a block that is tagged `parsed` has to be, by its language and by what the tag says that it is.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { transform } from "esbuild";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { readCommandLine } from "../../bin/command-line.ts";
import { readCommandFile } from "../../src/app/own-commands/command-file.ts";
import { readConfig } from "../../src/config/load-config.ts";
import { listVariables } from "../../src/config/sources/expand-variables.ts";
import { parseJson } from "../../src/config/sources/parse-json.ts";
import { caseFileSchema } from "../../src/eval/case-file.ts";
import { isRecord } from "../../src/kit/json.ts";
import { TextTurnReader } from "../../src/providers/text-tools/text-turn-reader.ts";
import { describeApi } from "../../src/server/api/openapi/document.ts";
import { createListedSchemas } from "../../src/server/mcp/agent/listed-schemas.ts";
import { listBuiltinTools } from "../../src/tools/tool-documents.ts";
import { temporaryFolder } from "../fakes/program.ts";
import type { Block } from "./blocks.ts";
import { findRequestProblem, readCurl } from "./curl.ts";
import { findDuetArguments, readCommands, toShell } from "./shell-words.ts";

/** Says what is wrong; undefined where nothing is. */
type Check = (text: string) => Promise<string | undefined>;

/** What a block is where its tag says no more. */
const usualKinds: Readonly<Record<string, string>> = {
  json: "settings",
  jsonc: "settings",
  sh: "commands",
  console: "commands",
  ts: "typescript",
  js: "javascript",
  toml: "toml",
  yaml: "yaml",
};

const checks: Readonly<Record<string, Check>> = {
  settings: async (text) => {
    const written = withBraces(text);
    const settings = await parseJson(written, "block");
    const set = Object.fromEntries(listVariables(settings).map((name) => [name, "set"]));
    const folder = await temporaryFolder();
    const config = join(folder, "duet.config.json");
    await writeFile(config, written);
    const { errors } = await readConfig({ config }, { ...set, HOME: folder }, folder);
    // The files that the settings of a page name are somebody else's.
    const faults = errors
      .map(({ message }) => message)
      .filter((message) => !/cannot be read \(ENOENT\)$|: does not exist$/.test(message));
    return faults.length === 0 ? undefined : faults.join("; ");
  },
  cases: async (text) => {
    const { error } = caseFileSchema.safeParse(JSON.parse(text));
    return error?.message;
  },
  /** An entry of another program that starts Duet: its arguments are Duet's. */
  host: async (text) => {
    const entries = findEntries(JSON.parse(text));
    const started = entries.flatMap(({ command, args }) => findDuetArguments([command, ...args].map(String)) ?? []);
    if (entries.length === 0) return checks.settings?.(text);
    return started.length === 0 ? "no entry starts Duet" : findCommandProblem(started);
  },
  "agent-result": async (text) => validate((await createListedSchemas()).output, JSON.parse(text)),
  "chat-message": async (text) =>
    validate(toComponent("ChatCompletionRequest"), { model: "duet-agent", messages: [JSON.parse(text)] }),
  /** Events as they are sent, `event:` and `data:`. */
  events: async (text) => {
    const sent = [...text.matchAll(/^event: (.+)\ndata: (.+)$/gm)];
    if (sent.length === 0) return "there is no event";
    const problems = sent.map(([, name, data = ""]) => {
      const event: unknown = JSON.parse(data);
      if (!isRecord(event) || event.type !== name) return `event: ${name} has other data`;
      return validate(toComponent("AgentEvent"), event);
    });
    return problems.find((problem) => problem !== undefined);
  },
  /** What a model without function calling writes; its calls are right ones. */
  "text-turn": async (text) => {
    const reader = new TextTurnReader();
    reader.read(text);
    const { actions } = reader.finish().turn;
    const tools = listBuiltinTools("en");
    const problems = actions.map(({ name, argumentsText = "{}" }) => {
      const tool = tools.find((each) => each.name === name);
      return tool ? validate(tool.inputSchema, JSON.parse(argumentsText)) : `there is no tool ${name}`;
    });
    return actions.length === 0 ? "it calls nothing" : problems.find((problem) => problem !== undefined);
  },
  "own-command": async (text) => {
    const read = await readCommandFile({ name: "block", file: "block.md", text, isFromProject: false });
    return "problem" in read ? read.problem.en : undefined;
  },
  json: async (text) => void JSON.parse(text),
  commands: async (text) => {
    const problems = await Promise.all(readCommands(text).map(({ words }) => findWordsProblem(words)));
    return problems.find((problem) => problem !== undefined);
  },
  /** That its types are right is for test/library/package.test.ts. */
  typescript: async (text) => void (await transform(text, { loader: "ts" })),
  javascript: async (text) => void (await transform(text, { loader: "js" })),
  toml: async (text) => void parseToml(text),
  yaml: async (text) => void parseYaml(text),
};

/** Says what is wrong with a block that is tagged `parsed`; undefined where nothing is. */
export async function findBlockProblem({ language, tag, text }: Block): Promise<string | undefined> {
  const kind = tag?.kind ?? usualKinds[language];
  const check = kind === undefined ? undefined : (checks[kind] ?? checkComponent(kind));
  if (check === undefined)
    return `nobody knows how to parse ${tag?.kind ?? `\`\`\`${language}`} (allowed: ${Object.keys(checks).join(", ")}, or a schema of /openapi.json)`;
  const isShell = kind === "commands";
  return check(isShell ? toShell(language, text) : text).catch((error: unknown) => String(error));
}

/** Says what is wrong with a command line of Duet. */
export async function findCommandProblem(words: readonly string[]): Promise<string | undefined> {
  try {
    const action = await readCommandLine([...words]);
    return action === undefined ? `duet ${words.join(" ")} does nothing` : undefined;
  } catch (error) {
    return `duet ${words.join(" ")}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function findWordsProblem(words: readonly string[]): Promise<string | undefined> {
  const own = findDuetArguments(words);
  if (own) return own.length === 0 ? undefined : findCommandProblem(own);
  return words[0] === "curl" ? findRequestProblem(readCurl(words), validate) : undefined;
}

/** Settings are shown without the braces of the file. */
function withBraces(text: string): string {
  return text.trimStart().startsWith("{") ? text : `{${text}}`;
}

/** Every object with a command, as one list of words or with arguments. */
function findEntries(tree: unknown): { command: unknown; args: unknown[] }[] {
  if (!isRecord(tree)) return [];
  const { command, args } = tree;
  if (typeof command === "string") return [{ command, args: Array.isArray(args) ? args : [] }];
  return Object.values(tree).flatMap(findEntries);
}

const document = describeApi("http://localhost");
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema({
  ...document,
  $id: "api",
});

function toComponent(name: string): { $ref: string } {
  return { $ref: `api#/components/schemas/${name}` };
}

/** A schema of the OpenAPI document, by its name there. */
function checkComponent(name: string): Check | undefined {
  if (!Object.hasOwn(document.components.schemas, name)) return undefined;
  return async (text) => validate(toComponent(name), JSON.parse(text));
}

function validate(schema: object, value: unknown): string | undefined {
  // A schema of the document is compiled once.
  const known = "$ref" in schema ? ajv.getSchema(String(schema.$ref)) : undefined;
  const isValid = known ?? ajv.compile(schema);
  return isValid(value) ? undefined : ajv.errorsText(isValid.errors);
}
