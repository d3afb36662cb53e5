import type { JsonObject } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { ProxyRules } from "../../kit/net/proxy-rules.ts";
import type { ModelCapabilities } from "./model.ts";

/** These wire formats are supported. Each vendor's row names one of them. */
export const wires = ["openai-chat", "openai-responses", "anthropic-messages"] as const;

export type WireName = (typeof wires)[number];

/** Prints a key on stdout: a line for the system's shell, or a program with its arguments, which no shell reads. */
export type KeyCommand = string | readonly string[];

/** Lists how a model may be asked to call tools: by the wire's own function calling, or by lines of text. */
export const toolCallForms = ["native", "text"] as const;

export type ToolCallForm = (typeof toolCallForms)[number];

/** Lists the clients of vendors that authenticate requests where a key in a header does not. */
export type CloudClient = "azure" | "bedrock" | "vertex";

/** Names what such a client is told. */
export type CloudField =
  | "region"
  | "project"
  | "apiVersion"
  | "apiKey"
  | "token"
  | "accessKeyId"
  | "secretAccessKey"
  | "sessionToken"
  | "credentialsFile";

/** Describes the client of a vendor. */
export interface CloudRow {
  client: CloudClient;
  /** Names the package that has the client, and its major version. The client comes with Duet when absent. */
  package?: CloudPackage;
  /** Lists the variables of each field, the first that is set first, and its value where none is. */
  fields: Partial<Record<CloudField, { env: readonly string[]; usual?: string }>>;
  /** Holds the values that the user set. */
  own?: Partial<Record<CloudField, string>>;
  /** Is the folder in which packages are looked for. */
  packages?: string;
  /** Returns the address of a region. Each customer has an address of its own when it is absent. */
  toBaseUrl?(region: string): string;
}

export interface CloudPackage {
  name: string;
  major: number;
}

/** Holds what the client of one model is told. */
export interface CloudAccess extends Partial<Record<CloudField, string>> {
  client: CloudClient;
  package?: CloudPackage;
  packages?: string;
}

/** Describes a vendor: its address, its authentication and its differences. A difference is a value here, never a branch. */
export interface Vendor {
  wire: WireName;
  baseUrl: string;
  /** Names the environment variable with the vendor's key, and is absent for vendors that need none. */
  keyEnv?: string;
  /** Prints the key that the user has for the vendor, in place of the variable. */
  keyCommand?: KeyCommand;
  /** Names the environment variable that overrides the vendor's address. */
  baseUrlEnv?: string;
  /** Names the vendor of which this is a region. A key that is set selects that vendor, and this one is used only by its name. */
  regionOf?: string;
  /** Names the model that is used for `{"provider": "..."}` without a model. */
  defaultModel?: string;
  /** Names the environment variable for another default model, and the values that it may hold. */
  modelEnv?: { name: string; match: RegExp; allowed: string };
  /** Lists more names of models that its users know. They are offered before the others. */
  knownAs?: readonly string[];
  /** Is the name in the semantic conventions of OpenTelemetry, when it is not the vendor's id. */
  telemetryName?: string;
  /** Limits `temperature` by an exclusive or inclusive upper bound. */
  temperature: { below: number } | { atMost: number };
  /** Lists the values of `reasoningEffort`. Any value is allowed when absent. */
  efforts?: readonly string[];
  /** Maps model names to the prices that the user has set. */
  prices?: Readonly<Record<string, Price>>;
  /** Says why no model of it can be used: the configuration names a variable for it that is not set. */
  unusable?: Text;
  /** Says how the vendor is reached. */
  network?: ProxyRules;
  /** Describes the vendor's client. Requests carry a key in a header when it is absent. */
  cloud?: CloudRow;
  /** Holds the headers that every request has in addition. */
  headers?: Readonly<Record<string, string>>;
  /** Holds the query of every request. */
  query?: Readonly<Record<string, string>>;
  quirks: Quirks;
  /** Lists exceptions for some models. Every rule that matches applies, and a later one wins over an earlier. */
  models?: ModelRule[];
}

/** Is in US dollars per 1,000,000 tokens. */
export interface Price {
  input: number;
  output: number;
  /** Prices input that was read from a cache. It costs as much as `input` when absent. */
  cachedInput?: number;
  /** Prices input that was written to a cache. It costs as much as `input` when absent. */
  cacheWrite?: number;
}

/** Is a price as the vendors' lists have it. */
export interface ListPrice extends Price {
  /** Holds the output price of a turn in which the model reasoned, if that price is higher. */
  reasonedOutput?: number;
  /** Applies to the whole call when its input is longer than `inputTokens`, unless a further tier above it does. */
  above?: ListPrice & { inputTokens: number };
}

export interface ModelRule {
  /** Is matched against the name that the user wrote. */
  match: RegExp;
  /** Holds the name that is sent in place of the matched one. */
  servedAs?: string;
  /** Names the wire on which the vendor serves the model with tools, when it is not the vendor's own. */
  wire?: WireName;
  /** Is the wanted size, in tokens. */
  contextWindow?: number;
  /** Limits the output of one turn, reasoning included, in tokens. */
  maxOutput?: number;
  /**
   * Limits, in milliseconds, how long the model may be silent while it reasons, for each wire that does not show reasoning. It
   * applies unless the model is told not to reason.
   */
  silentThinkingMs?: Partial<Record<WireName, number>>;
  quirks?: Quirks;
}

/**
 * Names the part of JSON Schema that a vendor accepts: most of it (`standard`), no references and no `oneOf` (`inlined`), or
 * only a part of OpenAPI 3.0 (`openapi`).
 */
export type ToolDialect = "standard" | "inlined" | "openapi";

/**
 * Is the most that a vendor can be told about the form of an answer: a JSON Schema, only that it is a JSON object, or nothing. What
 * it cannot be told, the model is asked for in words.
 */
export type AnswerFormat = "json_schema" | "json_object" | "none";

/** Maps an effort to tokens of reasoning. `default` is for a request that sets no effort. */
export type ReasoningAllowance = Readonly<Record<string, number>>;

/** Says which images a vendor takes, and how it counts their tokens. What is absent is as with most vendors. */
export interface ImageRules {
  /** Lists the media types. They are PNG, JPEG, GIF and WebP when absent. */
  types?: readonly string[];
  /** Limits one image, in bytes. */
  mostBytes?: number;
  /** Limits the longer side of an image, in pixels. */
  longestSide?: number;
  /** Limits the images of one request. */
  most?: number;
  tokens?: ImageTokens;
}

/** Says how the tokens of an image are counted: by its pixels up to a limit, or by the tiles that cover it. */
export type ImageTokens =
  | { pixelsPerToken: number; most: number }
  | { tileSide: number; perTile: number; base: number; longestSide: number; shorterSide: number };

/** Lists the differences within a wire format. Each is documented where the wire reads it. */
export interface Quirks {
  /** Names the field of the output limit, which is `max_tokens` when absent. */
  maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** The vendor refuses `temperature` and `top_p`, either always or while the model reasons. */
  noSampling?: "always" | "while-reasoning";
  /** The model does reason unless it is told not to. This effort is sent when the user set none. */
  defaultEffort?: string;
  /** The model accepts tools on chat completions only with this effort. */
  effortWithTools?: string;
  /** The model does not reason, and refuses requests with an effort. */
  noReasoning?: boolean;
  /** The model always reasons, so the effort `none` is not sent. */
  alwaysReasons?: boolean;
  /** The model accepts `temperature` and `top_p`, but they have no effect unless the effort is `none`. */
  samplingWithoutEffect?: boolean;
  /** Selects how a chat completion turns reasoning on and off. Only `reasoning_effort` does so when absent. */
  thinkingSwitch?: "enable_thinking" | "enable_thinking+reasoning_effort" | "thinking";
  /** The effort is sent as adaptive thinking (`thinking` and `output_config`). */
  adaptiveThinking?: boolean;
  /** The effort is sent as a token budget for thinking. */
  budgetThinking?: boolean;
  /** Selects the JSON Schema that the vendor accepts for the arguments of tools. It is `standard` when absent. */
  toolDialect?: ToolDialect;
  /** Limits the stop texts of a request, which are four when absent. The vendor takes none when it is 0. */
  mostStops?: number;
  /** The vendor refuses to have a tool call forced, either always or while the model reasons. */
  noForcedCalls?: "always" | "while-reasoning";
  /** Says what the vendor can be told about the form of an answer. A JSON Schema is tried when it is absent. */
  answerFormat?: AnswerFormat;
  /** The vendor takes no JSON format while the model reasons. */
  noFormatWhileReasoning?: boolean;
  /**
   * This many tokens are added to the output limit for hidden reasoning, where the vendor counts it into the limit: `maxTokens` means
   * what can be read.
   */
  reasoningAllowance?: ReasoningAllowance;
  /** The vendor caches everything before a mark in the request (Anthropic's `cache_control`). */
  cacheMarks?: boolean;
  /**
   * Every assistant message must have `reasoning_content`, which is empty if there was none. With `never-empty` it must not be
   * empty.
   */
  echoReasoning?: boolean | "never-empty";
  /** This is sent as `extra_content` of the first call in a turn that another model wrote. */
  foreignCallExtra?: JsonObject;
  /** The `native` data of earlier turns is not sent back to the model. */
  forgetsNative?: boolean;
  /** Says which images the vendor takes. */
  images?: ImageRules;
  /** Lists the media types of documents that the vendor reads itself. It gets the text of all others. */
  documents?: readonly string[];
  /** A user's message must not follow the result of a tool; the assistant says a word between them. */
  assistantAfterTools?: boolean;
  /** The vendor requires call ids of nine letters and digits. */
  nineLetterIds?: boolean;
  /** Holds the fields that are added to every request body. */
  body?: JsonObject;
}

/** Holds the settings of one model, resolved from the configuration and the vendor's row. */
export interface ModelSettings {
  provider: string;
  model: string;
  /** Holds the name that is sent to the vendor when it is not `model`. */
  servedAs?: string;
  wire: WireName;
  baseUrl: string;
  apiKey?: string;
  /** Errors name this variable so that the reader knows what to set. If it is present without `apiKey`, the key is missing. */
  apiKeyEnv?: string;
  /** Prints the key. There is no `apiKey` and no `apiKeyEnv` then, until it has run. */
  apiKeyCommand?: KeyCommand;
  /** Ranges from 0 to below 2 (Anthropic: to 1). */
  temperature: number;
  /**
   * Is true when the user set the temperature. Otherwise it is the default, which may be dropped without a notice when the model
   * does not accept it.
   */
  temperatureSet?: boolean;
  /** Ranges from above 0 to 1. */
  topP?: number;
  /** Limits the output, in tokens. */
  maxTokens: number;
  /** Limits the wait from sending to the first content or reasoning, in milliseconds. */
  timeoutMs: number;
  /** Limits each silence after the first content, in milliseconds. It is 60 s when absent. */
  idleMs?: number;
  /** Is the wanted size, in tokens. */
  contextWindow?: number;
  /** Limits the output of one turn, in tokens. It is undefined when unknown. */
  maxOutput?: number;
  reasoningEffort?: string;
  /** Says how the model calls tools. What it can do decides when absent. */
  toolCalls?: ToolCallForm;
  /** Holds the price that the user has set, else the one of the vendor's list. The cost is not known when it is absent. */
  price?: ListPrice;
  /** Lists the models that take over when this one fails, in their order. They have none of their own. */
  fallbacks?: readonly ModelSettings[];
  /** Says what the model can do, where the user or the vendor's list knows it. */
  capabilities?: ModelCapabilities;
  /** Says how the vendor is reached. */
  network?: ProxyRules;
  cloud?: CloudAccess;
  /** Holds the headers that every request has in addition. */
  headers?: Readonly<Record<string, string>>;
  /** Holds the query of every request. */
  query?: Readonly<Record<string, string>>;
  quirks: Quirks;
}
