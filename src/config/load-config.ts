import { dirname, join, resolve } from "node:path";
import type { DuetError } from "../kit/errors.ts";
import type { Locale, Text } from "../kit/locale.ts";
import { findTimeZone } from "../kit/time-zone.ts";
import {
  type BackendSettings,
  mapSearchBackends,
  type SearchBackendName,
  type SearchBackendRow,
  searchBackends,
} from "../tools/search/search-backends.ts";
import { readSubAgents } from "./agents/read-sub-agents.ts";
import type { Config, EmailSettings, SearchSettings } from "./config.ts";
import { configError, createErrorCollector, type ErrorCollector, joinConfigErrors } from "./config-errors.ts";
import { readHooks } from "./hooks.ts";
import { readModels } from "./models/models.ts";
import { readNetwork, toOwnRules, toWebRules } from "./network.ts";
import { configurationSchema, type Settings } from "./schema/file-schema.ts";
import { parseOnce } from "./schema/object-schema.ts";
import { readServers } from "./servers.ts";
import type { Flags } from "./settings/settings.ts";
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
import { type Embedding, readSources } from "./sources/read-sources.ts";
import { getValue, type Path } from "./sources/setting-path.ts";
import { findOrigins, mergeTrees, type Origin, type Source } from "./sources/source.ts";
import { getSystemLocale, hasLanguage } from "./sources/system-locale.ts";
import { readTelemetry } from "./telemetry.ts";

/**
 * Reads all sources: defaults, file, environment (with `.env`), flags, what an embedding program sets, a later one over
 * an earlier. Throws a `config` error that has a line for each fault, with the source, the key, the value (masked when it is a
 * secret) and what is allowed.
 */
export async function loadConfig(
  flags: Flags,
  environment: Environment = process.env,
  directory: string = process.cwd(),
  embedding?: Embedding,
): Promise<Config> {
  const { config, errors } = await readConfig(flags, environment, directory, embedding);
  if (errors.length > 0) throw joinConfigErrors(errors);
  return config;
}

/** Holds a configuration and what is wrong with it. */
export interface ReadConfig {
  /** Holds what can be used. What is wrong is left out. */
  config: Config;
  errors: readonly DuetError[];
  /** Lists the parts that were left out because of errors in them. An empty path stands for the whole file. */
  broken: readonly Path[];
}

/** Does the same without throwing for what is wrong, for `duet doctor`. Nothing else may run with what is left. */
export async function readConfig(
  flags: Flags,
  environment: Environment = process.env,
  directory: string = process.cwd(),
  embedding?: Embedding,
): Promise<ReadConfig> {
  const collector = createErrorCollector();
  const read = await readSources({ flags, real: environment, directory, embedding }, collector);
  const sources = [read.file, read.variables, read.options, read.code];
  const settings = configurationSchema.parse(mergeTrees(sources.map((source) => source.tree)), parseOnce);
  const origins = findOrigins(settings, sources);

  // What the file says is meant from the file's directory, all else from here.
  const resolvePath = (key: string, path: string): string => {
    const base = origins[key]?.from === "file" ? dirname(read.place.file) : directory;
    return toAbsolutePath(path, base, read.environment);
  };
  const { agent, tools, prompts } = settings;
  const { module } = agent.evaluation;
  const mode = flags.mode === undefined ? settings.terminalMode : agent.mode;
  const nodeTrusts = isReadByNode(origins["network.ca"]);
  const network = (await collector.attemptAsync(() =>
    readNetwork({
      settings,
      environment: read.environment,
      // Node takes `~` for the name of a folder.
      resolvePath: (path) => (nodeTrusts ? resolve(directory, path) : resolvePath("network.ca", path)),
      nodeTrusts,
    }),
  )) ?? { proxies: [], all: [] };
  const home = getStateDirectory(read.environment, directory);
  const limits = { maxTokens: agent.maxTokens, limit: settings.answerMaxTokens };
  const models = readModels(
    { ...read, settings, sources, limits, network, packages: join(home, "packages") },
    collector,
  );
  const config: Config = {
    ...models,
    agents:
      collector.attempt(() =>
        readSubAgents(settings, read.environment, {
          locale: settings.locale ?? getSystemLocale(read.environment),
          directory,
          providers: models.providers,
          describePlace: (path) => read.file.describePlace(path),
          resolvePath: (path) => toAbsolutePath(path, dirname(read.place.file), read.environment),
        }),
      ) ?? [],
    file: read.place.exists ? read.place.file : undefined,
    leftOut: read.leftOut,
    unsetParts: read.unsetParts,
    directory,
    home,
    agent: {
      ...agent,
      mode: agent.mode,
      maxTokens: settings.answerMaxTokens ?? agent.maxTokens,
      terminalMode: mode ?? agent.mode ?? "chat",
      evaluation: { ...agent.evaluation, module: module && resolvePath("agent.evaluation.module", module) },
    },
    network,
    servers: readServers(
      settings,
      read.file,
      { file: read.place.file, environment: read.environment, network },
      collector,
    ),
    tools: {
      ...tools,
      directory: tools.directory
        ? resolvePath("tools.directory", tools.directory)
        : getUserToolsDirectory(read.environment, embedding),
      directoryIsNamed: tools.directory !== undefined,
      roots: tools.roots.map((root) => resolvePath("tools.roots", root)),
    },
    hooks: readHooks(settings.hooks, resolvePath),
    search: {
      ...readSearch(settings.search, sources, collector),
      network: toOwnRules(network, settings.search.proxy),
    },
    web: { ...settings.web, network: toWebRules(network, settings.web.proxy) },
    serve: settings.serve,
    terminal: settings.terminal,
    email: collector.attempt(() => readEmail(settings.email, sources, origins["email.host"])),
    prompts: { directory: prompts.directory && resolvePath("prompts.directory", prompts.directory) },
    conversations: settings.conversations,
    store: settings.store,
    localeIsChosen: settings.locale !== undefined || hasLanguage(read.environment),
    locale: settings.locale ?? getSystemLocale(read.environment),
    timeZone: findTimeZone(environment.TZ),
    telemetry: readTelemetry(read.environment),
    httpToken: settings.httpToken,
    signInSecret: settings.signInSecret,
    depth: Number(read.environment.DUET_DEPTH) || 0,
    environment: read.environment,
    dotEnv: read.dotEnv,
    settings,
    origins,
  };
  const brokenRoles = (["functionCall", "answer"] as const).filter(
    (role) => settings.models[role] !== undefined && models.models[role] === undefined,
  );
  return {
    config,
    errors: collector.errors,
    broken: [...read.broken, ...brokenRoles.map((role) => ["models", role])],
  };
}

/** Node reads the certificates of `NODE_EXTRA_CA_CERTS` when it starts, but not those of a variable from a `.env` file. */
function isReadByNode(origin: Origin | undefined): boolean {
  return origin?.from === "environment" && origin.file === undefined;
}

/** Returns the directory of the user's own tools when no setting names one. A program that embeds Duet sets its own. */
function getUserToolsDirectory(environment: Environment, embedding: Embedding | undefined): string | undefined {
  const directory = embedding === undefined ? getConfigDirectory(environment) : undefined;
  return directory === undefined ? undefined : join(directory, "tools");
}

/** Returns the configuration file that is read, if any, and the places that are searched when `--config` names none. */
export async function findConfigFiles(
  flags: Pick<Flags, "config">,
  environment: Environment = process.env,
  directory: string = process.cwd(),
): Promise<{ file: string | undefined; searched: string[]; leftOut: SkippedFile[] }> {
  const { place, leftOut } = await chooseFiles(flags.config, environment, directory);
  return { file: place.exists ? place.file : undefined, searched: listSearchedPaths(environment, directory), leftOut };
}

/** Returns the files that `duet config trust` checks, whether they exist or not, and the file that records the trust. */
export function findTrustedFiles(
  flags: Pick<Flags, "config">,
  environment: Environment = process.env,
  directory: string = process.cwd(),
): { file: string; dotEnv: string; home: string; environment: Environment } {
  const file = resolve(directory, flags.config ?? fileName);
  return { file, dotEnv: join(dirname(file), ".env"), home: getStateDirectory(environment, directory), environment };
}

/** Returns the values from which the paths of other programs' files are built. */
export function getProgramPaths(
  environment: Environment = process.env,
  directory: string = process.cwd(),
): { environment: Environment; home: string; directory: string } {
  return { environment, home: getHomeDirectory(environment), directory };
}

/** Returns every file, existing or not, that can change the settings. */
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

/** Returns the language for errors about a configuration that could not be read. */
export function getFallbackLocale(flags: Pick<Flags, "locale">, environment: Environment = process.env): Locale {
  const { locale } = flags;
  return locale === "zh" || locale === "en" ? locale : getSystemLocale(environment);
}

/**
 * Returns undefined when no server is set. Throws when there is no sender address, unless only the environment names a server,
 * which may be meant for other programs.
 */
export function readEmail(
  email: Settings["email"],
  sources: readonly Source[],
  origin: Origin | undefined,
): EmailSettings | undefined {
  const { host, port, secure = port === 465, user, password, recipients } = email;
  if (host === undefined) return undefined;
  const from = email.from ?? (user?.includes("@") ? user : undefined);
  if (from !== undefined) return { host, port, secure, user, password, from, recipients };
  if (origin?.from === "environment") return undefined;
  const source = sources.findLast((each) => getValue(each.tree, ["email", "host"]) !== undefined);
  throw configError(source?.describePlace(["email", "host"]) ?? "email.host", needsSender);
}

const needsSender = {
  zh: "发送邮件需要发件人：请设置 SMTP_FROM 或 email.from",
  en: "mail needs a sender: set SMTP_FROM or email.from",
};

/** Collects an error when the selected backend has no key or address although it needs one. */
export function readSearch(
  search: Settings["search"],
  sources: readonly Source[],
  collector: ErrorCollector,
): SearchSettings {
  const backends = mapSearchBackends((row, name) => readBackend(row, search[name]));
  const { backend } = search;
  const missing = backend === "auto" ? undefined : findMissingSetting(backend, backends[backend]);
  if (missing !== undefined) {
    const source = sources.findLast((each) => getValue(each.tree, ["search", "backend"]) !== undefined);
    collector.add(configError(source?.describePlace(["search", "backend"]) ?? "search.backend", missing));
  }
  return { ...search, enabled: search.enabled, ...backends };
}

/** Returns the settings of one backend, or undefined for a server of the user's own without an address. */
function readBackend({ access }: SearchBackendRow, settings: BackendSettings): BackendSettings | undefined {
  const { apiKey, baseUrl, url, mcpUrl, enabled } = settings;
  if (access === "own-server") return url ? { url: removeSlash(url) } : undefined;
  const addresses = { baseUrl: baseUrl && removeSlash(baseUrl), mcpUrl: mcpUrl && removeSlash(mcpUrl) };
  return access === "opt-in" ? { enabled, ...addresses } : { apiKey: apiKey?.trim() || undefined, ...addresses };
}

/** Returns the error for a backend that is selected by name and lacks what it needs. */
function findMissingSetting(name: SearchBackendName, settings: BackendSettings | undefined): Text | undefined {
  const row: SearchBackendRow = searchBackends[name];
  if (row.access === "own-server" && settings === undefined) {
    const where = { zh: `${row.baseUrlEnv} 或 search.${name}.url`, en: `${row.baseUrlEnv} or search.${name}.url` };
    return { zh: `${name} 需要地址：请设置 ${where.zh}`, en: `${name} needs an address: set ${where.en}` };
  }
  if (row.access !== "key" || settings?.apiKey !== undefined) return undefined;
  return { zh: `${name} 需要密钥：请设置 ${row.keyEnv}`, en: `${name} needs a key: set ${row.keyEnv}` };
}

function removeSlash(address: string): string {
  return address.replace(/\/+$/, "");
}
