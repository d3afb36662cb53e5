import {
  type ApiToken,
  type ApiTokens,
  createTokenText,
  findTokenState,
  hashSecret,
  type TokenScope,
  tokenOwnerPrefix,
  toTokenHint,
} from "../../core/store/credentials.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine, toSafeJson } from "../../kit/text/sanitize.ts";
import { renderTime } from "../../render/render-time.ts";

export interface TokensOptions {
  tokens: ApiTokens;
  /** Is false when nothing outlives the process. */
  isKept: boolean;
  /** Writes text to stdout. */
  write(text: string): void;
  /** Writes a line beside the output. */
  writeLine(line: string): void;
  locale: Locale;
  output: "text" | "json";
  /** Returns milliseconds since 1970. */
  now?: (() => number) | undefined;
}

export interface NewToken {
  name: string;
  scope: TokenScope;
  tools: readonly string[] | undefined;
  /** Is absent for a token with conversations of its own. */
  owner: string | undefined;
  /** Is undefined for a token that does not expire. */
  days: number | undefined;
}

const dayMs = 86_400_000;

/** Makes a token and writes it to stdout, the only time that it is shown. Throws a `config` error for a name that is taken. */
export async function createToken(options: TokensOptions, wanted: NewToken): Promise<number> {
  const { tokens, write, writeLine, locale, output, now = Date.now } = options;
  if (!options.isKept) throw notKeptError();
  const { name, scope, tools, days } = wanted;
  const time = now();
  const text = createTokenText();
  const token: ApiToken = {
    ...{ hash: hashSecret(text), name, hint: toTokenHint(text), scope, tools },
    owner: scope === "operate" ? undefined : (wanted.owner ?? `${tokenOwnerPrefix}${name}`),
    createdAt: new Date(time).toISOString(),
    expiresAt: days === undefined ? undefined : new Date(time + days * dayMs).toISOString(),
  };
  if (!(await tokens.add(token))) throw takenNameError(name);
  if (output === "json") {
    write(`${toSafeJson({ token: text, ...toJson(token, token.createdAt) }, 2)}\n`);
    return 0;
  }
  writeLine(sanitizeLine(say(locale, describeNew(token))));
  write(`${text}\n`);
  return 0;
}

/** Lists the tokens, none of which can be read again. */
export async function listTokens({
  tokens,
  write,
  writeLine,
  locale,
  output,
  now = Date.now,
}: TokensOptions): Promise<number> {
  const time = new Date(now()).toISOString();
  const all = await tokens.list();
  if (output === "json") {
    write(`${toSafeJson({ tokens: all.map((token) => toJson(token, time)) }, 2)}\n`);
    return 0;
  }
  if (all.length === 0) writeLine(say(locale, noTokens));
  for (const token of all) write(`${renderToken(token, time, locale)}\n`);
  return 0;
}

/** Ends a token, also for a server that runs. Throws a `config` error where there is none of that name. */
export async function endToken(options: TokensOptions, name: string): Promise<number> {
  const { tokens, write, locale, output, now = Date.now } = options;
  if (!(await tokens.revoke(name, new Date(now()).toISOString()))) throw noTokenError(name, await tokens.list());
  const line = { zh: `已撤销令牌 ${name}`, en: `The token ${name} was revoked` };
  const shown = output === "json" ? toSafeJson({ revoked: name }, 2) : sanitizeLine(say(locale, line));
  write(`${shown}\n`);
  return 0;
}

function toJson(token: ApiToken, now: string) {
  const { name, hint, scope, tools, owner, createdAt, expiresAt, revokedAt, lastUsedAt } = token;
  return {
    ...{ name, hint, scope, tools: tools ?? null, owner: owner ?? null, state: findTokenState(token, now) },
    created_at: createdAt,
    expires_at: expiresAt ?? null,
    revoked_at: revokedAt ?? null,
    last_used_at: lastUsedAt ?? null,
  };
}

function describeNew(token: ApiToken): Text {
  const { name, scope } = token;
  const until = describeEnd(token);
  return {
    zh: `令牌 ${name}：权限 ${scope}，${until.zh}。请立即保存，之后不会再显示。`,
    en: `Token ${name}: scope ${scope}, ${until.en}. Save it now: it is not shown again.`,
  };
}

function describeEnd({ expiresAt }: ApiToken): Text {
  if (expiresAt === undefined) return { zh: "永不过期", en: "never expires" };
  const time = renderTime(expiresAt);
  return { zh: `有效期至 ${time}`, en: `expires ${time}` };
}

function renderToken(token: ApiToken, now: string, locale: Locale): string {
  const { name, hint, scope, tools, owner, lastUsedAt } = token;
  const state = findTokenState(token, now);
  const used =
    lastUsedAt === undefined
      ? { zh: "未使用过", en: "never used" }
      : { zh: `上次使用 ${renderTime(lastUsedAt)}`, en: `last used ${renderTime(lastUsedAt)}` };
  const words = [
    `${name}  ${hint}…`,
    scope,
    ...(tools === undefined ? [] : [tools.join(",")]),
    ...(owner === undefined || owner === `${tokenOwnerPrefix}${name}` ? [] : [owner]),
    say(locale, state === "revoked" ? { zh: "已撤销", en: "revoked" } : describeEnd(token)),
    ...(state === "expired" ? [say(locale, { zh: "（已失效）", en: "(no longer valid)" })] : []),
    say(locale, used),
  ];
  return words.map(sanitizeLine).join("  ");
}

const noTokens: Text = {
  zh: "没有 API 令牌（创建：duet tokens create 名称）",
  en: "there are no API tokens (create one: duet tokens create NAME)",
};

function notKeptError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: "conversations.store: memory 时没有地方保存令牌（允许：disk）",
      en: 'conversations.store: "memory" keeps no tokens (allowed: "disk")',
    },
  });
}

function takenNameError(name: string): DuetError {
  const shown = JSON.stringify(name);
  return new DuetError({
    code: "config",
    text: { zh: `已有名为 ${shown} 的有效令牌`, en: `a token named ${shown} is in force already` },
    hint: { zh: "请换一个名称，或先 duet tokens revoke。", en: "Choose another name, or revoke it first." },
  });
}

function noTokenError(name: string, all: readonly ApiToken[]): DuetError {
  const shown = JSON.stringify(name);
  const names = all.filter(({ revokedAt }) => revokedAt === undefined).map((token) => token.name);
  const there = names.length > 0 ? names.join(", ") : undefined;
  return new DuetError({
    code: "config",
    text: {
      zh: `没有名为 ${shown} 的有效令牌${there ? `（现有：${there}）` : ""}`,
      en: `no token named ${shown} is in force${there ? ` (there are: ${there})` : ""}`,
    },
  });
}
