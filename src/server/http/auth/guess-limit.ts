import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { LRUCache } from "lru-cache";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { sleep } from "../../../kit/async/timeout.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import type { Log } from "../../operations/log.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import type { Admission, Authenticate } from "./open-auth.ts";
import { hasCredential, readToken } from "./read-token.ts";

export interface GuessLimitOptions {
  authenticate: Authenticate;
  /** Is true where callers sign in: the signature of such a token is not guessed, so it never waits. */
  hasSignIn?: boolean | undefined;
  locale: Locale;
  log: Log;
  /** Sets how long the next token from an address that has guessed waits, in milliseconds. */
  delayMs?: number | undefined;
}

/** Tells who sends a request from this address, or why it is refused. */
export type AuthenticateFrom = (request: Request, address: string) => Promise<Admission | HttpRefusal>;

/** Lets a person mistype a token, and a client try once more with an old one, without a wait. */
const freeGuesses = 5;

/** Limits the tokens of one address that wait at the same time; more are refused unseen. */
const mostWaiting = 8;

const delayMs = 1000;

/** Limits how long an address is remembered after its last wrong token, in milliseconds, and how many are. */
const rememberedMs = 60_000;
const mostRemembered = 10_000;

interface Guesses {
  wrong: number;
  waiting: number;
}

/**
 * Slows down who guesses tokens, by address: after some wrong ones, each further token waits before it is looked at. One that
 * has been right from this address never waits, so that nobody behind the same proxy is locked out by another.
 */
export function createGuessLimit({
  authenticate,
  hasSignIn,
  locale,
  log,
  ...options
}: GuessLimitOptions): AuthenticateFrom {
  const guessers = new LRUCache<string, Guesses>({ max: mostRemembered, ttl: rememberedMs });
  const accepted = new LRUCache<string, true>({ max: mostRemembered });

  async function admitAfterDelay(request: Request, key: string, guesses: Guesses) {
    if (guesses.waiting >= mostWaiting) return tooMany;
    guesses.waiting += 1;
    try {
      await ignoreRejection(sleep(options.delayMs ?? delayMs, request.signal), "who has left is looked at no more");
    } finally {
      guesses.waiting -= 1;
    }
    return request.signal.aborted ? tooMany : check(request, key, guesses);
  }

  async function check(request: Request, key: string, guesses: Guesses): Promise<Admission | HttpRefusal> {
    const found = await authenticate(request);
    if (!("status" in found)) {
      accepted.set(toTokenKey(request, key), true);
      guesses.wrong = 0;
    } else if (found.status === 401) {
      guesses.wrong += 1;
      guessers.set(key, guesses);
      // The first one, the tenth, the hundredth: who guesses must not fill the log.
      if (/^10*$/.test(String(guesses.wrong)))
        log(say(locale, describeWrong(key, guesses.wrong)), "warn", { address: key, wrong_tokens: guesses.wrong });
    }
    return found;
  }

  return async (request, address) => {
    if (!hasCredential(request)) return authenticate(request);
    const key = toAddressKey(address);
    if (accepted.get(toTokenKey(request, key))) return authenticate(request);
    const guesses = guessers.get(key) ?? { wrong: 0, waiting: 0 };
    const isFree = guesses.wrong < freeGuesses || (hasSignIn && isSigned(request));
    return isFree ? check(request, key, guesses) : admitAfterDelay(request, key, guesses);
  };
}

/** One customer commonly has all the IPv6 addresses of a /64. */
function toAddressKey(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(plain)) return plain;
  const [head = "", tail = ""] = plain.split("::");
  const groups = head.split(":");
  const missing = plain.includes("::") ? 8 - groups.length - tail.split(":").length : 0;
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...tail.split(":")];
  return `${all
    .slice(0, 4)
    .map((group) => group || "0")
    .join(":")}::/64`;
}

/** Returns true for a token in the form of a JWT. */
function isSigned(request: Request): boolean {
  return /^[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}$/.test(readToken(request) ?? "");
}

/** No token is kept, only its digest. */
function toTokenKey(request: Request, key: string): string {
  const digest = createHash("sha256").update(readToken(request) ?? request.headers.get("authorization") ?? "");
  return `${key} ${digest.digest("base64")}`;
}

const tooMany: HttpRefusal = {
  status: 429,
  error: "rate_limit",
  text: {
    zh: "此地址连续使用了多个错误的令牌，请稍后再试",
    en: "too many wrong tokens came from this address; try again in a moment",
  },
  headers: { "retry-after": "1" },
};

function describeWrong(address: string, wrong: number) {
  return {
    zh: `${address} 使用了错误的令牌（${wrong} 次）`,
    en: `wrong token from ${address} (${wrong} so far)`,
  };
}
