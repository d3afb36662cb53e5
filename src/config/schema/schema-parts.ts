import { isIP } from "node:net";
import * as z from "zod";
import { isOffline } from "../../core/model/model.ts";
import { wires } from "../../core/model/model-settings.ts";
import { findPermitProblem, parseToolPattern } from "../../core/tools/tool-pattern.ts";
import { createLazy } from "../../kit/create-lazy.ts";
import type { Text } from "../../kit/locale.ts";
import { direct, inherited, parseProxy } from "../../kit/net/proxy-rules.ts";
import { isSecureAddress } from "../../kit/net/secure-address.ts";
import { createOperatorSchema } from "../limit-schemas.ts";
import { databaseForm, isDatabaseAddress } from "./database-address.ts";
import { createHookGroups } from "./hook-schema.ts";

/** Adds the allowed values to a `refine`. They are stored in the issue, where `check-source.ts` reads them. */
export function withAllowed(allowed: Text): { params: { allowed: Text } } {
  return { params: { allowed } };
}

export const httpAddress: Text = { zh: "http 或 https 地址", en: "an http or https address" };

const address = createLazy(() => z.string().refine(isHttpAddress, withAllowed(httpAddress)));

export function isHttpAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

/** Says what a proxy setting may be. */
export const proxyAddress: Text = {
  zh: "http 或 https 代理的地址，如 http://proxy.example.com:3128，或 direct",
  en: "the address of an http or https proxy, such as http://proxy.example.com:3128, or direct",
};

const isProxySetting = (written: string) => written === direct || parseProxy(written) !== undefined;

// It becomes a part of an address.
const cloudName = createLazy(() =>
  z.string().refine(
    (name) => /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/.test(name),
    withAllowed({
      zh: "1 到 100 个字母、数字、. _ : -，以字母或数字开头",
      en: "1 to 100 letters, digits, . _ : -, a letter or digit first",
    }),
  ),
);

const proxy = createLazy(() => z.string().refine(isProxySetting, withAllowed(proxyAddress)));

const webProxy = createLazy(() =>
  z
    .string()
    .refine(
      (written) => written === inherited || isProxySetting(written),
      withAllowed({ zh: `${proxyAddress.zh}，或 inherit`, en: `${proxyAddress.en}, or inherit` }),
    ),
);

const text = createLazy(() => z.string().min(1));
const patterns = createLazy(() => z.array(text()));

const createSeconds = (from: number, to: number) => z.number().min(from).max(to);

// Upper case only: a key pasted here by mistake is refused, not looked up and named in an error.
const variable = createLazy(() =>
  z
    .string()
    .refine(
      (name) => /^[A-Z_][A-Z0-9_]*$/.test(name),
      withAllowed({ zh: "大写的环境变量名", en: "a variable name in capitals" }),
    ),
);

const wire = createLazy(() => z.enum(wires));

// A slash would make `provider/model` ambiguous; `offline` is not a vendor.
const providerName = createLazy(() =>
  z.string().refine(
    (name) => /^[A-Za-z0-9_.-]{1,40}$/.test(name) && !isOffline({ provider: name }),
    withAllowed({
      zh: "1 到 40 个字母、数字、_ . -，且不是 offline",
      en: "1 to 40 letters, digits, _ . -, and not offline",
    }),
  ),
);

const highestRate = 1_000_000;
const rate = createLazy(() => z.number().min(0).max(highestRate));
const cacheRate = createLazy(() => z.number().min(0).max(highestRate).optional());

const priceSchema = createLazy(() =>
  z
    .strictObject({
      input: rate(),
      output: rate(),
      cachedInput: cacheRate().meta({ description: "Input read from a cache; the price of input when absent." }),
      cacheWrite: cacheRate().meta({ description: "Input written to a cache; the price of input when absent." }),
    })
    .meta({ description: "US dollars for 1,000,000 tokens." }),
);

// A server's name is the prefix of its tools, `server__tool`. Were `__` or a last `_` allowed in it, two servers could
// own one prefix, and a pattern meant for the tools of one would reach those of the other; a dot counts as `_` because
// tool names have none. `builtin`, `user` and `skills` are what Duet calls its own tools.
const serverName = createLazy(() =>
  z.string().refine(
    (name) =>
      /^[A-Za-z0-9_.-]{1,40}$/.test(name) &&
      !/[_.]{2}|[_.]$/.test(name) &&
      !["builtin", "user", "skills"].includes(name),
    withAllowed({
      zh: "1 到 40 个字母、数字、_ . -，其中 _ 和 . 不连用、不在末尾，且不是 builtin、user 或 skills",
      en: "1 to 40 letters, digits, _ . -; _ and . neither next to each other nor at the end; not builtin, user or skills",
    }),
  ),
);

// The tool of an agent is `agent_NAME`, and those of four names are Duet's own; `main` is the main agent.
const agentName = createLazy(() =>
  z.string().refine(
    (name) => /^[A-Za-z0-9_-]{1,40}$/.test(name) && !["main", "ask", "result", "cancel", "message"].includes(name),
    withAllowed({
      zh: "1 到 40 个字母、数字、_ -，且不是 main、ask、result、cancel 或 message",
      en: "1 to 40 letters, digits, _ -; not main, ask, result, cancel or message",
    }),
  ),
);

const headerName = createLazy(() =>
  z
    .string()
    .refine(
      (name) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name),
      withAllowed({ zh: "HTTP 头名称", en: "the name of an HTTP header" }),
    )
    .refine(
      (name) => !connectionHeaders.has(name.toLowerCase()),
      withAllowed({
        zh: "HTTP 头名称，但不能是描述连接或正文的头（如 Content-Length）",
        en: "the name of an HTTP header, but none that describes the connection or the body, as Content-Length does",
      }),
    ),
);

/** Lists headers that say how a request is sent. The client that sends it writes them, and others would have it read wrongly. */
const connectionHeaders = new Set([
  ...["connection", "content-length", "expect", "keep-alive", "proxy-connection", "te", "trailer"],
  ...["transfer-encoding", "upgrade"],
]);

const headerValue = createLazy(() =>
  z
    .string()
    .refine(
      (value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
      withAllowed({ zh: "不含换行和控制字符的文本", en: "a string without line breaks or control characters" }),
    ),
);

const variableName = createLazy(() =>
  z
    .string()
    .refine(
      (name) => /^[^=\0]+$/.test(name),
      withAllowed({ zh: "环境变量名", en: "the name of an environment variable" }),
    ),
);

const toolPatterns = createLazy(() =>
  z.array(
    createRule((written) => {
      const parsed = parseToolPattern(written);
      return "problem" in parsed ? parsed.problem : undefined;
    }),
  ),
);

/** Accepts a text for which `problem` returns undefined. Otherwise `problem` says what is allowed. */
function createRule(problem: (written: string) => Text | undefined) {
  return text().superRefine((written, context) => {
    const allowed = problem(written);
    if (allowed) context.addIssue({ code: "custom", input: written, ...withAllowed(allowed) });
  });
}

const permitPatterns = createLazy(() => z.array(createRule(findPermitProblem)));

const reachableForms: Text = {
  zh: "主机、地址或网段，可带端口，例如 localhost:8080、10.0.0.0/8",
  en: "a host, an address or a range, with a port or without, such as localhost:8080, 10.0.0.0/8",
};

/** Accepts a host, a host pattern (`*.suffix`, `*`), an address or an address range, each with `:port`, `:*` or neither. */
function isReachable(entry: string): boolean {
  const [, what = "", port = "*"] = /^(\[.*\]|.*\/\d{1,3}|[^:]*|.*:.*:.*?)(?::(\d{1,5}|\*))?$/.exec(entry) ?? [];
  if (port !== "*" && Number(port) > 65_535) return false;
  const [base = "", bits] = what.replace(/^\[([0-9a-f:.]+)\]$/i, "$1").split("/");
  const family = isIP(base);
  if (family === 0) return bits === undefined && /^(\*|(\*\.)?[\w-]+(\.[\w-]+)*\.?)$/.test(base);
  return !base.includes("%") && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}

const reachable = createLazy(() => z.string().refine(isReachable, withAllowed(reachableForms)));

const hostPattern = createLazy(() =>
  z.string().refine(
    (pattern) => /^[^\s/@]+$/.test(pattern),
    withAllowed({
      zh: "主机名或其模式，不带 https:// 和路径",
      en: "a host or a pattern of hosts, without https:// and path",
    }),
  ),
);

const mailServer = createLazy(() =>
  z
    .string()
    .refine(
      (host) => /^([^\s/@:]+|[0-9a-f:.]+)$/i.test(host),
      withAllowed({ zh: "主机名或地址，不带端口", en: "a host or an address, without a port" }),
    ),
);

const sender = createLazy(() =>
  z.string().refine(
    (from) =>
      /^(("[^"\\\p{Cc}]*"|[^"<>,;:@\p{Cc}]*)\s*<[^\s<>,;:@]+@[^\s<>,;:@]+>|[^\s<>,;:@]+@[^\s<>,;:@]+)$/u.test(from),
    withAllowed({
      zh: "name@example.com 或 Name <name@example.com>",
      en: "name@example.com or Name <name@example.com>",
    }),
  ),
);

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
const secureAddress = createLazy(() =>
  z.string().refine(
    (written) => isHttpAddress(written) && isSecureAddress(new URL(written)) && !/[?#]/.test(written),
    withAllowed({
      zh: "https 地址，或本机的 http 地址，不含 ? 和 #",
      en: "an https address, or an http one of this machine, without ? and #",
    }),
  ),
);
const keysAddress = createLazy(() =>
  z
    .string()
    .refine(
      (written) => isHttpAddress(written) && isSecureAddress(new URL(written)),
      withAllowed({ zh: "https 地址，或本机的 http 地址", en: "an https address, or an http one of this machine" }),
    ),
);

// The characters of RFC 6749, section 3.3.
const scope = createLazy(() =>
  z
    .string()
    .refine(
      (written) => /^[!#-[\]-~]+$/.test(written),
      withAllowed({ zh: "不含空格、引号和反斜杠的 ASCII 文本", en: "ASCII without spaces, quotes and backslashes" }),
    ),
);

// Both are compared as text with what a request says: what could never be the same would only seem to allow somebody.
const hostHeader = createLazy(() =>
  z.string().refine(
    (written) => /^(\[[\da-f:.]+\]|[\w-]+(\.[\w-]+)*)(:\d{1,5})?$/i.test(written),
    withAllowed({
      zh: "主机名，可带端口，如 duet.example.com:8443",
      en: "a host with or without a port: duet.example.com:8443",
    }),
  ),
);
const origin = createLazy(() =>
  z.string().refine(
    (written) => /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+$/i.test(written),
    withAllowed({
      zh: "来源，如 https://app.example.com，其后没有路径",
      en: "an origin without a path: https://app.example.com",
    }),
  ),
);

const token = createLazy(() =>
  z
    .string()
    .refine(
      (written) => /^[\x21-\x7e]+$/.test(written),
      withAllowed({ zh: "不含空格的 ASCII 文本", en: "ASCII without spaces" }),
    ),
);

const databaseAddress: Text = {
  zh: `${databaseForm.zh}；只写一个主机；密码中的 / # ? @ 等字符写成百分号编码，如 %23`,
  en: `${databaseForm.en}, with one host; in a password, / # ? @ and the like are percent-encoded, as %23`,
};

const database = createLazy(() => z.string().refine(isDatabaseAddress, withAllowed(databaseAddress)));

/** Holds the functions of Zod that the table uses. The namespace as a value would put the whole package into the bundle. */
const builders = {
  ...{ string: z.string, number: z.number, int: z.int, boolean: z.boolean, unknown: z.unknown },
  ...{ enum: z.enum, array: z.array, record: z.record, union: z.union, strictObject: z.strictObject },
};

/** Holds what the schemas in the table of settings are built from. The table itself loads no Zod, because `duet --help` reads it. */
export const schemaParts = toParts({
  ...{
    z: () => builders,
    text,
    patterns,
    address,
    seconds: () => createSeconds,
    variable,
    variableName,
    wire,
    limit: () => createOperatorSchema,
  },
  ...{ proxy, webProxy, cloudName },
  ...{ providerName, priceSchema, serverName, agentName, headerName, headerValue },
  ...{
    toolPatterns,
    permitPatterns,
    hostPattern,
    reachable,
    mailServer,
    sender,
    hookGroups: createLazy(createHookGroups),
  },
  ...{
    signatureAlgorithms: () => signatureAlgorithms,
    secureAddress,
    keysAddress,
    scope,
    hostHeader,
    origin,
    token,
    database,
  },
});

export type SchemaParts = typeof schemaParts;

type PartsOf<Creators extends Record<string, () => unknown>> = {
  readonly [Name in keyof Creators]: ReturnType<Creators[Name]>;
};

function toParts<Creators extends Record<string, () => unknown>>(creators: Creators): PartsOf<Creators> {
  const getters = Object.entries(creators).map(([name, get]) => [name, { get, enumerable: true }]);
  return Object.defineProperties({} as PartsOf<Creators>, Object.fromEntries(getters));
}
