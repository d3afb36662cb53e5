import type { Mode } from "../core/outcome.ts";
import type { Locale } from "../kit/errors.ts";
import type { ModelsConfig } from "./models/models.ts";
import type { Settings } from "./schema/file-schema.ts";
import type { SkippedFile } from "./sources/choose-files.ts";
import type { Environment } from "./sources/expand-variables.ts";
import type { Origin } from "./sources/source.ts";
import type { TelemetrySettings } from "./telemetry.ts";

/** Everything that can be set, checked, with absolute paths: what the whole program is given. */
export interface Config extends ModelsConfig {
  /** The configuration file in force. */
  file: string | undefined;
  /** Files that were found and not read, as nobody has trusted their content. */
  leftOut: SkippedFile[];
  /** Where state lives. */
  home: string;
  agent: AgentSettings;
  /** The downstream servers that are switched on. */
  servers: ServerSettings[];
  tools: ToolsSettings;
  search: SearchSettings;
  web: WebSettings;
  /** What hosts get of `duet serve`. */
  serve: Settings["serve"];
  /** How the chat in a terminal looks. */
  terminal: TerminalSettings;
  /** Absent where no SMTP server is set. */
  email?: EmailSettings;
  prompts: { directory?: string };
  conversations: { store: "disk" | "memory" };
  locale: Locale;
  /** Whether the configuration, or the system's LC_ALL or LANG, names a language. */
  localeIsChosen: boolean;
  telemetry: TelemetrySettings;
  /** The bearer token of the HTTP face. */
  httpToken?: string;
  /** Duets above this one that started it or its starter. */
  depth: number;
  /** The environment with the `.env` file's variables: where a child server's comes from. */
  environment: Environment;
  /** The `.env` file, there or not, and the variables that it added. */
  dotEnv: { file: string; added: ReadonlySet<string> };
  /** The settings in the file's own words, defaults added. */
  settings: Settings;
  /** Who said each of them, by its path: `agent.maxIterations`. */
  origins: Record<string, Origin>;
}

export interface AgentSettings {
  /** From the file or the command line; undefined when neither says. */
  mode: Mode | undefined;
  /** In which the terminal chat starts: `--mode`, else `DEFAULT_MODE`, else the file's, else `chat`. */
  terminalMode: Mode;
  maxIterations: number;
  /** Seconds. */
  maxExecutionTime: number;
  maxToolCalls: number;
  /** Output tokens of an answer: `--max-tokens`, else the file's; the models' own `maxTokens` have it in them already. */
  maxTokens: number;
  /** Tokens of one run, in and out. */
  tokenBudget: number;
  /** US dollars of one run; no limit when absent. */
  costBudget?: number;
  /** Patterns of tools that may be called again and again with the same result. */
  repeatable: string[];
  plan: { unattended: "run" | "stop"; onFailure: "replan" | "skip" | "stop"; retries: number };
  evaluation: { minResultLength: number; stopWhenSufficient: boolean; module?: string };
  verbose: boolean;
}

export interface ToolsSettings {
  allow: string[];
  deny: string[];
  ask: string[];
  /** What becomes of a tool that a known server offers later. */
  newTools: "stop" | "allow";
  /** The share of the function-call model's window beyond which servers' tools are searched, not listed; 0 to 1. */
  searchAbove: number;
  /** Where the user's own tools and skills lie. */
  directory?: string;
  /** Whether somebody named that directory, so that it has to be there. */
  directoryIsNamed: boolean;
  roots: string[];
}

/** Base URLs are without a last slash; the path of the call is added to them. */
export interface SearchSettings {
  /** Undefined when nobody said: the tools may search, the chat mode starts without. */
  enabled: boolean | undefined;
  backend: Settings["search"]["backend"];
  maxResults: number;
  /** Whether `auto` may ask services without a key. */
  keyless: boolean;
  /** Characters. */
  snippetLength: number;
  /** Queries. */
  cacheSize: number;
  /** Searches of one run that reach the backend. */
  maxPerRun: number;
  tavily: KeyedBackend;
  brave: KeyedBackend;
  serper: KeyedBackend;
  parallel: KeyedBackend;
  exa: KeyedBackend & { mcpUrl: string };
  bocha: KeyedBackend;
  zhipu: KeyedBackend;
  searxng?: { url: string };
  duckduckgo: { enabled: boolean; baseUrl: string };
}

/** What the tools that go out may reach. */
export interface WebSettings {
  /** Patterns of hosts that `http_request` may call. */
  hosts: string[];
  /** Private hosts, ranges and other ports that may be reached all the same. */
  reach: string[];
  /** Ports of public hosts. */
  ports: number[];
}

export interface TerminalSettings {
  /** Of the background; `auto` is what the terminal says of itself, else dark. */
  theme: "auto" | "dark" | "light";
  /** Plain lines, nothing redrawn: `--screen-reader`, else `DUET_SCREEN_READER`, else the file's. */
  screenReader: boolean;
}

export interface EmailSettings {
  host: string;
  port: number;
  /** TLS from the first byte. */
  secure: boolean;
  user?: string;
  password?: string;
  from: string;
  /** Patterns of addresses that may be written to. */
  recipients: string[];
}

export interface KeyedBackend {
  apiKey?: string;
  baseUrl: string;
}

/** One downstream MCP server, as the configuration names it. */
export interface ServerSettings {
  /** The key under `mcpServers`; the prefix of its tools. */
  name: string;
  transport: ServerTransport;
  /** Only tools whose own name matches one of these patterns (`*` is any run of characters). */
  includeTools?: string[];
  excludeTools?: string[];
  /** Limit of one call, in milliseconds. */
  timeoutMs: number;
  /** Limit of starting, up to its first list of tools, in milliseconds. */
  startTimeoutMs: number;
  maxConcurrent?: number;
  callsPerSecond?: number;
  /** `lazy`: its process or connection begins at the first call, once its tools are known from an earlier start. */
  start: "eager" | "lazy";
  /** Whether our function-call model may write texts for it. */
  sampling: boolean;
  /** Directories that it is told it may work in, absolute; undefined: it is told nothing of directories. */
  roots?: string[];
  /** How to sign in; undefined: with what the server itself says. Of HTTP servers only. */
  auth?: AuthSettings;
}

/** OAuth 2.1. `client_credentials` signs in by itself; with `oauth` a person does, once, by `duet login`. */
export interface AuthSettings {
  type: "oauth" | "client_credentials";
  clientId?: string;
  clientSecret?: string;
  /** Address of a client ID metadata document, in place of a registration. */
  clientMetadataUrl?: string;
  /** Scopes, parted by blanks; what the server asks for when undefined. */
  scope?: string;
  /** Port of the loopback address that the browser comes back to; any free one when undefined. */
  callbackPort?: number;
}

export type ServerTransport =
  | {
      type: "stdio";
      command: string;
      args: string[];
      env: Record<string, string>;
      /** Names of variables of ours that it sees too. */
      inheritEnv: string[];
      cwd?: string;
    }
  | { type: "http"; url: string; headers: Record<string, string> }
  | { type: "sse"; url: string; headers: Record<string, string> };
