import { dirname, join, resolve } from "node:path";
import { chooseFiles, type LeftOut } from "./config/choose-files.ts";
import { readEmail } from "./config/email.ts";
import type { Environment } from "./config/expand.ts";
import {
  absolutePath,
  configDirectory,
  fileName,
  homeDirectory,
  searchedPlaces,
  stateDirectory,
  trustedFile,
} from "./config/find.ts";
import type { Flags } from "./config/flags.ts";
import { speaksALanguage, systemLocale } from "./config/locale.ts";
import { merge, originsOf } from "./config/merge.ts";
import { readModels } from "./config/models.ts";
import { once, settingsSchema } from "./config/schema.ts";
import { readSearch } from "./config/search.ts";
import { readServers } from "./config/servers.ts";
import type { Config } from "./config/settings.ts";
import { type Embedding, readSources } from "./config/sources.ts";
import { readTelemetry } from "./config/telemetry.ts";
import type { Locale } from "./core/locale.ts";

export { leftOutLine } from "./config/choose-files.ts";
export type { Flags } from "./config/flags.ts";
export type { Config } from "./config/settings.ts";
export { createStateFolder } from "./config/state-folder.ts";
export { unusedLine, unusedSettings } from "./config/unused.ts";

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
  const settings = settingsSchema.parse(merge(sources.map((source) => source.tree)), once);
  const origins = originsOf(settings, sources);

  // What the file says is meant from the file's directory, all else from here.
  const absolute = (key: string, path: string): string => {
    const base = origins[key]?.from === "file" ? dirname(read.place.file) : directory;
    return absolutePath(path, base, read.environment);
  };
  const { agent, tools, prompts } = settings;
  const { module } = agent.evaluation;
  const mode = flags.mode === undefined ? settings.terminalMode : agent.mode;
  return {
    ...readModels(settings, sources, read.environment, { maxTokens: agent.maxTokens, limit: settings.answerMaxTokens }),
    file: read.place.exists ? read.place.file : undefined,
    leftOut: read.leftOut,
    home: stateDirectory(read.environment, directory),
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
    localeIsChosen: settings.locale !== undefined || speaksALanguage(read.environment),
    locale: settings.locale ?? systemLocale(read.environment),
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
  const directory = embedding === undefined ? configDirectory(environment) : undefined;
  return directory === undefined ? undefined : join(directory, "tools");
}

/** The file in force, if any, and the places where one is looked for when `--config` names none. */
export async function configPlaces(
  flags: Pick<Flags, "config">,
  environment: Environment = process.env,
  directory: string = process.cwd(),
): Promise<{ file: string | undefined; searched: string[]; leftOut: LeftOut[] }> {
  const { place, leftOut } = await chooseFiles(flags.config, environment, directory);
  return { file: place.exists ? place.file : undefined, searched: searchedPlaces(environment, directory), leftOut };
}

/** The files that `duet config trust` is about, there or not, and where it is remembered. */
export function foundFiles(
  flags: Pick<Flags, "config">,
  environment: Environment = process.env,
  directory: string = process.cwd(),
): { file: string; dotEnv: string; home: string; environment: Environment } {
  const file = resolve(directory, flags.config ?? fileName);
  return { file, dotEnv: join(dirname(file), ".env"), home: stateDirectory(environment, directory), environment };
}

/** What the paths of other programs' files are made of. */
export function programPlaces(
  environment: Environment = process.env,
  directory: string = process.cwd(),
): { environment: Environment; home: string; directory: string } {
  return { environment, home: homeDirectory(environment), directory };
}

/** Every file, there or not, that has a say in which settings are read: what a change of them may change. */
export function configFiles(
  flags: Pick<Flags, "config">,
  environment: Environment = process.env,
  directory: string = process.cwd(),
): string[] {
  const { config } = flags;
  const places = config === undefined ? searchedPlaces(environment, directory) : [resolve(directory, config)];
  const files = places.flatMap((file) => [file, join(dirname(file), ".env")]);
  return config === undefined ? [...files, trustedFile(stateDirectory(environment, directory))] : files;
}

/** The language in which to say that the configuration could not be read. */
export function fallbackLocale(flags: Pick<Flags, "locale">, environment: Environment = process.env): Locale {
  const { locale } = flags;
  return locale === "zh" || locale === "en" ? locale : systemLocale(environment);
}
