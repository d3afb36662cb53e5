import type { HookEvent } from "../core/hooks.ts";
import type { Mode } from "../core/run/outcome.ts";
import type { Locale } from "../kit/locale.ts";
import type { ProxyRules } from "../kit/net/proxy-rules.ts";
import type { SearchOptions } from "../tools/search/search-backends.ts";
import type { ModelChoice, ModelsConfig } from "./models/models.ts";
import type { NetworkSettings } from "./network.ts";
import type { Settings } from "./schema/file-schema.ts";
import type { HookGroup } from "./schema/hook-schema.ts";
import type { SkippedFile } from "./sources/choose-files.ts";
import type { Environment } from "./sources/expand-variables.ts";
import type { Origin } from "./sources/source.ts";
import type { UnsetPart } from "./sources/unset-parts.ts";
import type { TelemetrySettings } from "./telemetry.ts";

/** Holds every setting, validated and with absolute paths. The whole program receives it. */
export interface Config extends ModelsConfig {
  /** Names the configuration file that was read. */
  file: string | undefined;
  /** Lists the files that were found and not read because nobody has trusted their content. */
  leftOut: SkippedFile[];
  /** Lists the parts of the file that are left out because a variable is not set. */
  unsetParts: UnsetPart[];
  /** Is the working folder: where Duet was started, or where an editor works. */
  directory: string;
  /** Names the directory of the stored state. */
  home: string;
  agent: AgentSettings;
  /** Lists the agents that the main agent may ask. */
  agents: SubAgentSettings[];
  /** Lists the enabled MCP servers. */
  servers: ServerSettings[];
  tools: ToolsSettings;
  /** Holds the hooks by their events; the paths of modules are absolute. */
  hooks: HookSettings;
  search: SearchSettings;
  web: Settings["web"] & { network?: ProxyRules | undefined };
  network: NetworkSettings;
  serve: Settings["serve"];
  terminal: Settings["terminal"];
  /** Is absent when no SMTP server is set. */
  email?: EmailSettings;
  prompts: Settings["prompts"];
  conversations: Settings["conversations"];
  store: Settings["store"];
  locale: Locale;
  /** Is true when the configuration, or the system's LC_ALL or LANG, names a language. The system's does not count over HTTP. */
  localeIsChosen: boolean;
  timeZone: string;
  telemetry: TelemetrySettings;
  httpToken?: string;
  /** Is the secret with which Duet shows who it is where people sign in. */
  signInSecret?: string;
  /** Counts the Duets above this one that started it or its starter. */
  depth: number;
  /** Holds the environment with the variables of the `.env` file. The environments of child servers are taken from it. */
  environment: Environment;
  /** Names the `.env` file, which may not exist, the variables that it added, and the lines that are no assignment. */
  dotEnv: { file: string; added: ReadonlySet<string>; unread: readonly number[] };
  /** Holds the settings in the shape of the file, with defaults added. */
  settings: Settings;
  /** Maps the path of each setting, such as `agent.maxIterations`, to its origin. */
  origins: Record<string, Origin>;
}

/** Holds an agent beside the main one. What is absent is as for the main agent. */
export interface SubAgentSettings {
  name: string;
  description: string;
  models: { functionCall?: ModelChoice; answer?: ModelChoice };
  /** Limits its tools to those whose names match one of these patterns. */
  tools: readonly string[] | undefined;
  instructions: string | undefined;
  /** Names the directory of its own prompts. */
  prompts: string | undefined;
  mode: Mode;
  limits: NonNullable<Settings["agents"][string]["limits"]>;
  /** Says how it is started where it is another program, which speaks the Agent Client Protocol. */
  acp?: AcpSettings;
}

/** Holds how another agent is started, and what it may do through us. Paths are absolute. */
export interface AcpSettings {
  transport: Extract<ServerTransport, { type: "stdio" }>;
  /** Is the folder in which its sessions work. */
  cwd: string;
  /** Is true where no folder is named and Duet itself runs in the home directory, or in none: a host started it. */
  lacksFolder?: boolean;
  /** Lists the folders whose files it may read and write through us. */
  roots: string[];
  /** Names one of its own modes, which each session is set to. */
  mode: string | undefined;
  /** Names the servers of the configuration that it is given for its sessions. */
  mcpServers?: boolean | readonly string[] | undefined;
  /** Names one of its own models, which each session is set to. */
  model?: string | undefined;
  /** Is the mode that a session is set to where it is in one of these others and no mode is named. */
  asking?: ConsentMode | undefined;
  /** Says what happens when it asks for permission, and when it writes a file through us. */
  permissions: "ask" | "allow" | "refuse";
  /** Is true where it may run commands through us. */
  terminal: boolean;
  startTimeoutMs: number;
  /** Limits the questions that it works on at one time. */
  maxConcurrent: number;
}

/** Describes the mode of another agent in which it asks a person. */
export interface ConsentMode {
  readonly mode: string;
  readonly insteadOf: readonly string[];
  /** Is true where a session without that mode is not used: in which of its others a person is asked is not known. */
  readonly isRequired?: boolean;
}

/** Holds the limits too, in the configuration's units. `maxTokens` is that of `--max-tokens`, else the file's; the models include it. */
export type AgentSettings = Settings["agent"] & {
  /** The terminal chat starts in this mode: `--mode`, else `DEFAULT_MODE`, else the file's, else `chat`. */
  terminalMode: Mode;
};

/** Holds `directory` as the user's own tools and skills, even where no setting names it. */
export type ToolsSettings = Settings["tools"] & {
  /** Is true when the directory was set explicitly, so that it has to exist. */
  directoryIsNamed: boolean;
};

export type HookSettings = Partial<Record<HookEvent, HookGroup[]>>;

/** Base URLs have no trailing slash, and the path of the call is appended to them. */
export type SearchSettings = SearchOptions & Pick<Settings["search"], "enabled" | "cacheSize" | "maxPerRun">;

/** Holds the settings of a mail server that is set and has a sender. */
export type EmailSettings = Settings["email"] & { host: string; secure: boolean; from: string };

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
  /** Is true for a server with state of its own, so that a run which used it cannot go on with another process of it. */
  stateful?: boolean;
  /** Directories that it is told it may work in, absolute; undefined: it is told nothing of directories. */
  roots?: string[];
  /** Is true for a server that is told the directories of the host that uses its tools, where that is the operator's own. */
  hostRoots?: boolean;
  /** Configures the sign-in of an HTTP server. When undefined, the sign-in follows what the server itself announces. */
  auth?: AuthSettings;
  /** Says how an HTTP server, and whoever signs in to it, is reached. */
  network?: ProxyRules | undefined;
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
      /** Holds the variables of the proxy and of further certificates. `inheritEnv` and `env` take precedence. */
      networkEnv?: Record<string, string>;
      cwd?: string;
      /** Is true where the server names no folder itself, and `cwd` is the one in which an editor works. */
      hasDefaultCwd?: boolean;
    }
  | { type: "http"; url: string; headers: Record<string, string> }
  | { type: "sse"; url: string; headers: Record<string, string> };
