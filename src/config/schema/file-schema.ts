import * as z from "zod";
import { isOffline, offlineProvider } from "../../core/model.ts";
import { wires } from "../../core/model-settings.ts";
import { vendors } from "../../providers/vendors.ts";
import { limitSettings } from "../settings.ts";
import { emailSchema } from "./email-schema.ts";
import { address, patterns, text, withAllowed } from "./schema-parts.ts";
import { searchSchema } from "./search-schema.ts";
import { serveSchema } from "./serve-schema.ts";
import { toolsSchema } from "./tools-schema.ts";
import { webSchema } from "./web-schema.ts";

export const terminalSchema = z
  .strictObject({
    theme: z.enum(["auto", "dark", "light"]).default("auto").meta({
      description: "Colours for a dark or a light background; auto: as the terminal reports, otherwise dark.",
    }),
    screenReader: z.boolean().default(false).meta({
      description: "Plain lines for a screen reader: nothing is redrawn, signs are words, no spinner.",
    }),
  })
  .meta({ description: "The chat in a terminal." });

const seconds = (from: number, to: number) => z.number().min(from).max(to);

// Upper case only: a key pasted here by mistake is refused, not looked up and named in an error.
const variable = z
  .string()
  .refine(
    (name) => /^[A-Z_][A-Z0-9_]*$/.test(name),
    withAllowed({ zh: "大写的环境变量名", en: "a variable name in capitals" }),
  );

const wire = z.enum(wires).meta({ description: "Wire format." });

const vendorNames = Object.keys(vendors).filter((id) => vendors[id]?.regionOf === undefined);

/** Lists the vendors that accept a smaller range of temperatures than the others. */
const smallerRanges = Object.entries(vendors).flatMap(([id, { temperature }]) =>
  "atMost" in temperature ? [`${id}: to ${temperature.atMost}`] : [],
);

export const modelSchema = z
  .strictObject({
    provider: text.meta({
      description: `${vendorNames.join(", ")}, ${offlineProvider}, or one of \`providers\`.`,
    }),
    model: text.optional().meta({ description: "Model name; the provider's default when absent." }),
    temperature: z
      .number()
      .min(0)
      .lt(2)
      .optional()
      .meta({ description: `0 to below 2 (${smallerRanges.join(", ")}). Default 0.7.` }),
    maxTokens: z.int().min(1).optional().meta({ description: "Output limit in tokens. Default: agent.maxTokens." }),
    topP: z.number().gt(0).max(1).optional().meta({ description: "Above 0 to 1." }),
    baseUrl: address.optional().meta({ description: "Address of the API." }),
    apiKeyEnv: variable.optional().meta({ description: "The environment variable that holds the key." }),
    timeout: seconds(1, 3600).optional().meta({
      description:
        "Seconds until the first content or reasoning of a turn. Default 30; more for models that think silently.",
    }),
    contextWindow: z.int().min(1).optional().meta({ description: "Context window in tokens." }),
    reasoningEffort: text.optional().meta({ description: "How much the model reasons, in its vendor's words." }),
    wire: wire.optional(),
  })
  .meta({ description: "A model and its parameters." });

// A slash would make `provider/model` ambiguous; `offline` is not a vendor.
const providerName = z.string().refine(
  (name) => /^[A-Za-z0-9_.-]{1,40}$/.test(name) && !isOffline({ provider: name }),
  withAllowed({
    zh: "1 到 40 个字母、数字、_ . -，且不是 offline",
    en: "1 to 40 letters, digits, _ . -, and not offline",
  }),
);

const highestRate = 1_000_000;
const rate = z.number().min(0).max(highestRate);
const cacheRate = z.number().min(0).max(highestRate).optional();

const priceSchema = z
  .strictObject({
    input: rate,
    output: rate,
    cachedInput: cacheRate.meta({ description: "Input read from a cache; the price of input when absent." }),
    cacheWrite: cacheRate.meta({ description: "Input written to a cache; the price of input when absent." }),
  })
  .meta({ description: "US dollars for 1,000,000 tokens." });

const providerSchema = z
  .strictObject({
    wire: wire.optional(),
    baseUrl: address.optional().meta({ description: "Address of the API." }),
    apiKeyEnv: variable.optional().meta({ description: "The environment variable that holds the key." }),
    aliases: z.record(text, text).optional().meta({
      description: "What a model's name means to the vendor; set here, it comes before what Duet knows.",
    }),
    prices: z
      .record(text, priceSchema)
      .optional()
      .meta({ description: "What its models cost, by their names; over Duet's own price list." }),
  })
  .meta({ description: "A vendor of your own, or changes to a known one." });

const agentSchema = z
  .strictObject({
    mode: z
      .enum(["chat", "agent", "plan"])
      .optional()
      .meta({ description: "The mode in which the terminal chat starts." }),
    ...limitSettings,
    repeatable: patterns
      .default([])
      .meta({ description: "Tools that may be called again with the same result: polling." }),
    plan: z
      .strictObject({
        unattended: z.enum(["run", "stop"]).default("run").meta({
          description: "What an interface that cannot ask does with a plan: run it, or stop for confirmation.",
        }),
        onFailure: z
          .enum(["replan", "skip", "stop"])
          .default("replan")
          .meta({ description: "After a step that failed: plan the rest anew, continue without it, or end." }),
        retries: z.int().min(0).max(3).default(1).meta({ description: "How often a failed step is tried again." }),
      })
      .prefault({}),
    evaluation: z
      .strictObject({
        minResultLength: z
          .int()
          .min(0)
          .default(20)
          .meta({ description: "Results with fewer characters count as short." }),
        stopWhenSufficient: z
          .boolean()
          .default(false)
          .meta({ description: "Answer as soon as the results are sufficient." }),
        module: text.optional().meta({ description: "A module whose default export replaces the evaluation rules." }),
      })
      .prefault({}),
    verbose: z.boolean().default(false).meta({ description: "Thoughts, tool inputs and outputs to stderr." }),
  })
  .meta({ description: "How the agent works." });

// A server's name is the prefix of its tools, `server__tool`. Were `__` or a last `_` allowed in it, two servers could
// own one prefix, and a pattern meant for the tools of one would reach those of the other; a dot counts as `_` because
// tool names have none. `builtin`, `user` and `skills` are what Duet calls its own tools.
const serverName = z.string().refine(
  (name) =>
    /^[A-Za-z0-9_.-]{1,40}$/.test(name) && !/[_.]{2}|[_.]$/.test(name) && !["builtin", "user", "skills"].includes(name),
  withAllowed({
    zh: "1 到 40 个字母、数字、_ . -，其中 _ 和 . 不连用、不在末尾，且不是 builtin、user 或 skills",
    en: "1 to 40 letters, digits, _ . -; _ and . neither next to each other nor at the end; not builtin, user or skills",
  }),
);

const headerName = z
  .string()
  .refine(
    (name) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name),
    withAllowed({ zh: "HTTP 头名称", en: "the name of an HTTP header" }),
  );

const headerValue = z
  .string()
  .refine(
    (value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
    withAllowed({ zh: "不含换行和控制字符的文本", en: "a string without line breaks or control characters" }),
  );

const variableName = z
  .string()
  .refine(
    (name) => /^[^=\0]+$/.test(name),
    withAllowed({ zh: "环境变量名", en: "the name of an environment variable" }),
  );

const ignored = z.unknown().optional().meta({ description: "Another host's key; ignored." });

const authSchema = z
  .strictObject({
    type: z.enum(["oauth", "client_credentials"]).default("oauth"),
    clientId: text.optional(),
    clientSecret: text.optional(),
    clientMetadataUrl: address.optional().meta({ description: "Address of a client ID metadata document." }),
    scope: text.optional().meta({ description: "Scopes, separated by spaces." }),
    callbackPort: z.int().min(1).max(65_535).optional().meta({ description: "Port of the loopback address." }),
  })
  .meta({ description: "OAuth 2.1: how to sign in to a remote server; see `duet login`." });

const serverSchema = z
  .strictObject({
    type: z
      .enum(["stdio", "http", "streamable-http", "sse"])
      .optional()
      .meta({ description: "Absent: `command` means stdio, `url` and `httpUrl` mean http." }),
    command: text.optional().meta({ description: "The program to start; no shell is involved." }),
    args: z.array(z.string()).optional(),
    env: z.record(variableName, z.string()).optional().meta({ description: "Added to the program's environment." }),
    cwd: text.optional().meta({ description: "The program's directory, relative to this file." }),
    url: address.optional(),
    httpUrl: address.optional().meta({ description: "The same as `url` with type http." }),
    headers: z.record(headerName, headerValue).optional(),
    timeout: seconds(1, 3600).default(60).meta({ description: "Limit of one call in seconds." }),
    startTimeout: seconds(1, 600).default(30).meta({ description: "Limit of starting in seconds." }),
    includeTools: patterns.optional().meta({ description: "Only tools that match; `*` is any run of characters." }),
    excludeTools: patterns.optional(),
    maxConcurrent: z.int().min(1).max(1000).optional().meta({ description: "Calls at the same time." }),
    callsPerSecond: z.number().gt(0).max(1000).optional(),
    start: z
      .enum(["eager", "lazy"])
      .default("eager")
      .meta({ description: "lazy: started by the first call of a tool, once its tools are known." }),
    inheritEnv: z
      .array(variableName)
      .optional()
      .meta({ description: "Names of variables of Duet's environment that the program also gets." }),
    sampling: z
      .boolean()
      .default(false)
      .meta({ description: "Whether the server may use the function-call model (sampling)." }),
    roots: z.array(text).optional().meta({ description: "Directories offered to the server as its roots." }),
    auth: authSchema.optional(),
    disabled: z.boolean().optional(),
    enabled: z.boolean().optional(),
    // What Duet does without these is stricter, never looser, so they can be ignored; `envFile` could not.
    description: ignored,
    trust: ignored,
    alwaysAllow: ignored,
    autoApprove: ignored,
  })
  .meta({ description: "An MCP server: a program to start or an address to call." });

const servers = z.record(serverName, serverSchema).default({});

export const fileSchema = z
  .strictObject({
    $schema: z.string().optional(),
    models: z
      .strictObject({ functionCall: modelSchema.optional(), answer: modelSchema.optional() })
      .prefault({})
      .meta({ description: "functionCall decides on tools; answer writes, and is functionCall when absent." }),
    providers: z.record(providerName, providerSchema).default({}),
    agent: agentSchema.prefault({}),
    mcpServers: servers.meta({ description: "The MCP servers whose tools the agent uses, by name." }),
    servers: servers.meta({ description: "The same as mcpServers." }),
    inputs: ignored,
    tools: toolsSchema.prefault({}),
    search: searchSchema.prefault({}),
    web: webSchema.prefault({}),
    email: emailSchema.prefault({}),
    serve: serveSchema.prefault({}),
    terminal: terminalSchema.prefault({}),
    prompts: z
      .strictObject({ directory: text.optional().meta({ description: "Your own prompts, relative to this file." }) })
      .prefault({}),
    conversations: z
      .strictObject({
        store: z
          .enum(["disk", "memory"])
          .default("disk")
          .meta({ description: "disk: kept under DUET_HOME; memory: as long as the process." }),
      })
      .prefault({}),
    locale: z
      .enum(["zh", "en"])
      .optional()
      .meta({ description: "Language of Duet's messages; default: LC_ALL or LANG." }),
  })
  .meta({ title: "Duet configuration" });

/** Describes the settings of all sources together. The environment and the command line have a few values of their own. */
export const settingsSchema = fileSchema.extend({
  home: text.optional(),
  httpToken: z
    .string()
    .refine(
      (token) => /^[\x21-\x7e]+$/.test(token),
      withAllowed({ zh: "不含空格的 ASCII 文本", en: "ASCII without spaces" }),
    )
    .optional(),
  terminalMode: z.enum(["chat", "agent", "plan"]).optional(),
  answerMaxTokens: z.int().min(1).optional(),
});

/** Turns off compiled parsers for what is parsed once, because compiling takes longer than parsing. */
export const parseOnce = { jitless: true };

/** Holds the merged settings of all sources, with defaults added. */
export type Settings = z.infer<typeof settingsSchema>;

export type ServerEntry = z.infer<typeof serverSchema>;

export type ModelEntry = z.infer<typeof modelSchema>;

/** Returns the JSON Schema of the configuration file in draft 7, which editors support. */
export function createFileJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(fileSchema, { target: "draft-7", io: "input" }) };
}
