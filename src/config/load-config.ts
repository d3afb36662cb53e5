import { dirname, join, resolve } from "node:path";
import type { Locale } from "../kit/locale.ts";
import type { Config } from "./config.ts";
import { readEmail } from "./email.ts";
import { readModels } from "./models/models.ts";
import { parseOnce, settingsSchema } from "./schema/file-schema.ts";
import { readSearch } from "./search.ts";
import { readServers } from "./servers.ts";
import { chooseFiles, type SkippedFile } from "./sources/choose-files.ts";
import type { Environment } from "./sources/expand-variables.ts";
import {
  fileName,
  getConfigDirectory,
  getHomeDirectory,
  getStateDirectory,
  getTrustedFile,
  listSearchedPaths,
  toAbsolutePath,
} from "./sources/find-file.ts";
import type { Flags } from "./sources/flags.ts";
import { findOrigins, mergeTrees } from "./sources/merge.ts";
import { type Embedding, readSources } from "./sources/read-sources.ts";
import { getSystemLocale, hasLanguage } from "./sources/system-locale.ts";
import { readTelemetry } from "./telemetry.ts";

export type { Config } from "./config.ts";
export { describeSkippedFiles } from "./sources/choose-files.ts";
export type { Flags } from "./sources/flags.ts";
export { createStateFolder } from "./sources/state-folder.ts";
export { describeUnusedSettings, findUnusedSettings } from "./unused-settings.ts";

/**
 * Reads all sources: defaults, file, environment (with `.env`), flags, what an embedding program sets, a later one over
 * an earlier. Throws a `config` error of one line that names the source, the key, the value (masked when it is a secret)
 * and what is allowed.
 */
export async function loadConfig(
  flags: Flags,
  environment: Environment = process.env,
  directory: string = process.cwd(),
  embedding?: Embedding,
): Promise<Config> {
  const read = await readSources(flags, environment, directory, embedding);
  const sources = [read.file, read.variables, read.options, read.code];
  const settings = settingsSchema.parse(mergeTrees(sources.map((source) => source.tree)), parseOnce);
  const origins = findOrigins(settings, sources);

  // What the file says is meant from the file's directory, all else from here.
  const absolute = (key: string, path: string): string => {
    const base = origins[key]?.from === "file" ? dirname(read.place.file) : directory;
    return toAbsolutePath(path, base, read.environment);
  };
  const { agent, tools, prompts } = settings;
  const { module } = agent.evaluation;
  const mode = flags.mode === undefined ? settings.terminalMode : agent.mode;
  return {
    ...readModels(settings, sources, read.environment, { maxTokens: agent.maxTokens, limit: settings.answerMaxTokens }),
    file: read.place.exists ? read.place.file : undefined,
    leftOut: read.leftOut,
    home: getStateDirectory(read.environment, directory),
    agent: {
      ...agent,
      mode: agent.mode,
      maxTokens: settings.answerMaxTokens ?? agent.maxTokens,
      terminalMode: mode ?? agent.mode ?? "chat",
      evaluation: { ...agent.evaluation, module: module && absolute("agent.evaluation.module", module) },
    },
    servers: readServers(settings, read.file, read.place.file, read.environment),
    tools: {
      ...tools,
      directory: tools.directory ? absolute("tools.directory", tools.directory) : ownTools(read.environment, embedding),
      directoryIsNamed: tools.directory !== undefined,
      roots: tools.roots.map((root) => absolute("tools.roots", root)),
    },
    search: readSearch(settings.search, sources),
    web: settings.web,
    serve: settings.serve,
    terminal: settings.terminal,
    email: readEmail(settings.email, sources, origins["email.host"]),
    prompts: { directory: prompts.directory && absolute("prompts.directory", prompts.directory) },
    conversations: settings.conversations,
    localeIsChosen: settings.locale !== undefined || hasLanguage(read.environment),
    locale: settings.locale ?? getSystemLocale(read.environment),
    telemetry: readTelemetry(read.environment),
    httpToken: settings.httpToken,
    depth: Number(read.environment.DUET_DEPTH) || 0,
    environment: read.environment,
    dotEnv: read.dotEnv,
    settings,
    origins,
  };
}

/** Where a user's own tools lie when no setting says so; a program that embeds Duet brings its own. */
function ownTools(environment: Environment, embedding: Embedding | undefined): string | undefined {
  const directory = embedding === undefined ? getConfigDirectory(environment) : undefined;
  return directory === undefined ? undefined : join(directory, "tools");
}

/** The file in force, if any, and the places where one is looked for when `--config` names none. */
export async function findConfigFiles(
  flags: Pick<Flags, "config">,
  environment: Environment = process.env,
  directory: string = process.cwd(),
): Promise<{ file: string | undefined; searched: string[]; leftOut: SkippedFile[] }> {
  const { place, leftOut } = await chooseFiles(flags.config, environment, directory);
  return { file: place.exists ? place.file : undefined, searched: listSearchedPaths(environment, directory), leftOut };
}

/** The files that `duet config trust` is about, there or not, and where it is remembered. */
export function findTrustedFiles(
  flags: Pick<Flags, "config">,
  environment: Environment = process.env,
  directory: string = process.cwd(),
): { file: string; dotEnv: string; home: string; environment: Environment } {
  const file = resolve(directory, flags.config ?? fileName);
  return { file, dotEnv: join(dirname(file), ".env"), home: getStateDirectory(environment, directory), environment };
}

/** What the paths of other programs' files are made of. */
export function getProgramPaths(
  environment: Environment = process.env,
  directory: string = process.cwd(),
): { environment: Environment; home: string; directory: string } {
  return { environment, home: getHomeDirectory(environment), directory };
}

/** Every file, there or not, that has a say in which settings are read: what a change of them may change. */
export function listConfigFiles(
  flags: Pick<Flags, "config">,
  environment: Environment = process.env,
  directory: string = process.cwd(),
): string[] {
  const { config } = flags;
  const places = config === undefined ? listSearchedPaths(environment, directory) : [resolve(directory, config)];
  const files = places.flatMap((file) => [file, join(dirname(file), ".env")]);
  return config === undefined ? [...files, getTrustedFile(getStateDirectory(environment, directory))] : files;
}

/** The language in which to say that the configuration could not be read. */
export function getFallbackLocale(flags: Pick<Flags, "locale">, environment: Environment = process.env): Locale {
  const { locale } = flags;
  return locale === "zh" || locale === "en" ? locale : getSystemLocale(environment);
}
