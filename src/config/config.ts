import type { ConfiguredLimits } from "../core/limits.ts";
import type { Mode } from "../core/outcome.ts";
import type { Locale } from "../kit/locale.ts";
import type { SearchOptions } from "../tools/search/search-backends.ts";
import type { ModelsConfig } from "./models/models.ts";
import type { Settings } from "./schema/file-schema.ts";
import type { SkippedFile } from "./sources/choose-files.ts";
import type { Environment } from "./sources/expand-variables.ts";
import type { Origin } from "./sources/source.ts";
import type { TelemetrySettings } from "./telemetry.ts";

/** Holds every setting, validated and with absolute paths. The whole program receives it. */
export interface Config extends ModelsConfig {
  /** Names the configuration file that was read. */
  file: string | undefined;
  /** Lists the files that were found and not read because nobody has trusted their content. */
  leftOut: SkippedFile[];
  /** Names the directory of the stored state. */
  home: string;
  agent: AgentSettings;
  /** Lists the enabled MCP servers. */
  servers: ServerSettings[];
  tools: ToolsSettings;
  search: SearchSettings;
  web: WebSettings;
  serve: Settings["serve"];
  terminal: TerminalSettings;
  /** Is absent when no SMTP server is set. */
  email?: EmailSettings;
  prompts: { directory?: string };
  conversations: { store: "disk" | "memory" };
  locale: Locale;
  /** Is true when the configuration, or the system's LC_ALL or LANG, names a language. */
  localeIsChosen: boolean;
  telemetry: TelemetrySettings;
  httpToken?: string;
  /** Counts the Duets above this one that started it or its starter. */
  depth: number;
  /** Holds the environment with the variables of the `.env` file. The environments of child servers are taken from it. */
  environment: Environment;
  /** Names the `.env` file, which may not exist, and the variables that it added. */
  dotEnv: { file: string; added: ReadonlySet<string> };
  /** Holds the settings in the shape of the file, with defaults added. */
  settings: Settings;
  /** Maps the path of each setting, such as `agent.maxIterations`, to its origin. */
  origins: Record<string, Origin>;
}

/** Holds the limits too, in the configuration's units. `maxTokens` is that of `--max-tokens`, else the file's; the models include it. */
export interface AgentSettings extends ConfiguredLimits {
  /** Is set by the file or the command line, and undefined when neither sets it. */
  mode: Mode | undefined;
  /** The terminal chat starts in this mode: `--mode`, else `DEFAULT_MODE`, else the file's, else `chat`. */
  terminalMode: Mode;
  /** Lists the patterns of tools that may be called repeatedly with the same result. */
  repeatable: string[];
  plan: { unattended: "run" | "stop"; onFailure: "replan" | "skip" | "stop"; retries: number };
  evaluation: { minResultLength: number; stopWhenSufficient: boolean; module?: string };
  verbose: boolean;
}

export interface ToolsSettings {
  allow: string[];
  deny: string[];
  ask: string[];
  /**
   * Decides about a tool that a known server adds later: `stop` holds it until it is approved, and `allow` makes it usable at
   * once.
   */
  newTools: "stop" | "allow";
  /**
   * Sets the share of the function-call model's context window, from 0 to 1, above which tools of servers are searched and not
   * listed.
   */
  searchAbove: number;
  /** Holds the directory of the user's own tools and skills. */
  directory?: string;
  /** Is true when the directory was set explicitly, so that it has to exist. */
  directoryIsNamed: boolean;
  roots: string[];
}

/** Base URLs have no trailing slash, and the path of the call is appended to them. */
export interface SearchSettings extends SearchOptions {
  /** Is undefined when it is not set: the tools may then search, and the chat mode starts without search. */
  enabled: boolean | undefined;
  /** Limits the cached queries. */
  cacheSize: number;
  /** Limits the searches of one run that reach the backend. */
  maxPerRun: number;
}

export interface WebSettings {
  /** Lists the patterns of hosts that `http_request` may call. */
  hosts: string[];
  /** Lists the private hosts, ranges and other ports that may be reached in addition. */
  reach: string[];
  /** Lists the allowed ports of public hosts. */
  ports: number[];
}

export interface TerminalSettings {
  /** Names the background. `auto` uses what the terminal reports, and dark otherwise. */
  theme: "auto" | "dark" | "light";
  /** Prints plain lines without redrawing: `--screen-reader`, else `DUET_SCREEN_READER`, else the file's. */
  screenReader: boolean;
}

export interface EmailSettings {
  host: string;
  port: number;
  /** Uses TLS from the first byte. */
  secure: boolean;
  user?: string;
  password?: string;
  from: string;
  /** Lists the patterns of addresses that mail may be sent to. */
  recipients: string[];
}

export interface ServerSettings {
  /** Holds the key under `mcpServers`, which is also the prefix of the server's tools. */
  name: string;
  transport: ServerTransport;
  /** Restricts the server to tools whose own name matches one of these patterns (`*` is any run of characters). */
  includeTools?: string[];
  excludeTools?: string[];
  /** Limits one call, in milliseconds. */
  timeoutMs: number;
  /** Limits the start up to the first list of tools, in milliseconds. */
  startTimeoutMs: number;
  maxConcurrent?: number;
  callsPerSecond?: number;
  /** With `lazy` the process or connection starts at the first call, once the tools are known from an earlier start. */
  start: "eager" | "lazy";
  /** Lets the server request texts from our function-call model (MCP sampling). */
  sampling: boolean;
  /** Directories that it is told it may work in, absolute; undefined: it is told nothing of directories. */
  roots?: string[];
  /** Configures the sign-in of an HTTP server. When undefined, the sign-in follows what the server itself announces. */
  auth?: AuthSettings;
}

/** Configures OAuth 2.1. `client_credentials` needs no person; with `oauth` a person signs in once by `duet login`. */
export interface AuthSettings {
  type: "oauth" | "client_credentials";
  clientId?: string;
  clientSecret?: string;
  /** Is the address of a client ID metadata document, which replaces a registration. */
  clientMetadataUrl?: string;
  /** Lists the scopes, separated by spaces; undefined requests those that the server asks for. */
  scope?: string;
  /** Sets the loopback port of the OAuth redirect. Any free port is used when undefined. */
  callbackPort?: number;
}

export type ServerTransport =
  | {
      type: "stdio";
      command: string;
      args: string[];
      env: Record<string, string>;
      /** Names the variables of our environment that the server also gets. */
      inheritEnv: string[];
      cwd?: string;
    }
  | { type: "http"; url: string; headers: Record<string, string> }
  | { type: "sse"; url: string; headers: Record<string, string> };
