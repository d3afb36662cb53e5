import * as z from "zod";
import { isSecureAddress } from "../../kit/net/secure-address.ts";
import { address, isHttpAddress, text, withAllowed } from "./schema-parts.ts";
import { permitPatterns } from "./tools-schema.ts";

const seconds = (from: number, to: number) => z.number().min(from).max(to);

/** Allows signatures by a public key only: a secret that both sides know would let whoever checks a token make one. */
const signatureAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

// Where keys come from decides who gets in, so nobody may stand between; what names an issuer has no query (RFC 8414, section 2).
const secureAddress = z.string().refine(
  (written) => isHttpAddress(written) && isSecureAddress(new URL(written)) && !/[?#]/.test(written),
  withAllowed({
    zh: "https 地址，或本机的 http 地址，不含 ? 和 #",
    en: "an https address, or an http one of this machine, without ? and #",
  }),
);
const keysAddress = z
  .string()
  .refine(
    (written) => isHttpAddress(written) && isSecureAddress(new URL(written)),
    withAllowed({ zh: "https 地址，或本机的 http 地址", en: "an https address, or an http one of this machine" }),
  );

// The characters of RFC 6749, section 3.3.
const scope = z
  .string()
  .refine(
    (written) => /^[!#-[\]-~]+$/.test(written),
    withAllowed({ zh: "不含空格、引号和反斜杠的 ASCII 文本", en: "ASCII without spaces, quotes and backslashes" }),
  );

const authSchema = z
  .strictObject({
    issuer: secureAddress.meta({ description: "The authorization server, as its tokens name it." }),
    audience: text
      .optional()
      .meta({ description: "What tokens must be meant for; the public address of /mcp when absent." }),
    jwksUrl: keysAddress.optional().meta({ description: "Its keys; found through its metadata when absent." }),
    algorithms: z.array(z.enum(signatureAlgorithms)).min(1).default(["RS256", "ES256", "EdDSA", "PS256"]),
    scopes: z.array(scope).default([]).meta({ description: "Scopes that every token must have." }),
    tools: z.record(scope, permitPatterns).optional().meta({
      description:
        "Tools by scope, as patterns: what a caller may use, by itself or through the agent. Absent: all. Prompts and resources of a server are available to callers that may use all its tools.",
    }),
  })
  .meta({ description: "OAuth 2.1 resource server: callers sign in with tokens of this authorization server." });

// Both are compared as text with what a request says: what could never be the same would only seem to allow somebody.
const hostHeader = z.string().refine(
  (written) => /^(\[[\da-f:.]+\]|[\w-]+(\.[\w-]+)*)(:\d{1,5})?$/i.test(written),
  withAllowed({
    zh: "主机名，可带端口，如 duet.example.com:8443",
    en: "a host with or without a port: duet.example.com:8443",
  }),
);
const origin = z.string().refine(
  (written) => /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+$/i.test(written),
  withAllowed({
    zh: "来源，如 https://app.example.com，其后没有路径",
    en: "an origin without a path: https://app.example.com",
  }),
);

const httpSchema = z
  .strictObject({
    publicUrl: address.optional().meta({ description: "The public address of this server, without /mcp." }),
    allowedHosts: z.array(hostHeader).default([]).meta({
      description: "Allowed Host headers besides the bound address: duet.example.com, duet.example.com:8443.",
    }),
    allowedOrigins: z.array(origin).default([]).meta({ description: "Pages that may call: https://app.example.com." }),
    maxBody: z.int().min(1024).max(100_000_000).default(4_194_304).meta({ description: "Bytes of one request." }),
    maxConnections: z.int().min(1).max(100_000).default(1000),
    maxConnectionsPerAddress: z.int().min(1).max(100_000).default(250),
    maxSessions: z
      .int()
      .min(1)
      .max(100_000)
      .default(1000)
      .meta({ description: "Sessions of clients of the 2025 protocol." }),
    sessionIdle: seconds(1, 86_400)
      .default(1800)
      .meta({ description: "Seconds without a request after which a session ends." }),
    grace: seconds(0, 3600).default(10).meta({
      description:
        "Seconds that runs have to finish when the process is asked to end; after that they are cancelled and reported.",
    }),
    auth: authSchema.optional(),
  })
  .meta({ description: "`duet serve --http`." });

const limitsSchema = z
  .strictObject({
    maxRuns: z.int().min(1).max(10_000).default(100).meta({ description: "Runs at the same time." }),
    runsPerMinute: z.int().min(1).max(10_000).optional().meta({ description: "Runs started in any 60 seconds." }),
    tokensPerDay: z.int().min(1).optional().meta({ description: "Input and output tokens per UTC day." }),
    costPerDay: z
      .number()
      .gt(0)
      .optional()
      .meta({ description: "US dollars per UTC day, for models whose price is known." }),
  })
  .meta({
    description:
      "Limits for each caller, including the operator, across all interfaces; counted since the process started.",
  });

export const serveSchema = z
  .strictObject({
    window: seconds(1, 86_400)
      .optional()
      .meta({ description: "Seconds after which a call returns `running`; 50 for unknown hosts." }),
    windows: z
      .record(text, seconds(1, 86_400))
      .default({})
      .meta({ description: "The same by host, as it names itself (clientInfo.name)." }),
    onDisconnect: z.enum(["cancel", "finish"]).default("cancel").meta({
      description: "What happens to a run whose caller cancels or disconnects: it ends, or its result is kept.",
    }),
    confirm: z.enum(["token", "never"]).default("token").meta({
      description: "Where the host cannot ask its user: hand out a token to be passed back, or do not run such calls.",
    }),
    confirmTime: seconds(1, 600).default(600).meta({ description: "Seconds that a question to a person may wait." }),
    keepResults: seconds(1, 86_400)
      .default(3600)
      .meta({ description: "Seconds that agent_result can still be asked for a run." }),
    maxRuns: z.int().min(1).max(10_000).default(200).meta({ description: "Runs at the same time." }),
    limits: limitsSchema.prefault({}),
    log: z.enum(["text", "json"]).default("text").meta({
      description: "What is logged to stderr: lines for people, or one JSON object a line, each run among them.",
    }),
    http: httpSchema.prefault({}),
  })
  .meta({ description: "`duet serve`: what hosts get." });
