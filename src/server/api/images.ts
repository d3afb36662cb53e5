import * as z from "zod";
import type { Caller } from "../../core/caller.ts";
import { isNamePermitted } from "../../core/tools/tool-pattern.ts";
import { createSemaphore, type Semaphore } from "../../kit/async/semaphore.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import { detectMediaType } from "../../kit/images/image-type.ts";
import type { Text } from "../../kit/locale.ts";
import { clientLeft, createLeaveSignal } from "../http/connection.ts";
import { readJsonBody } from "../http/request/read-body.ts";
import type { HttpRefusal } from "../http/response/dialects.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle } from "../http/routes.ts";
import type { ApiContext } from "./api-context.ts";
import { readFields } from "./read-fields.ts";

const webAddress: Text = {
  zh: "http 或 https 地址，最多 2000 个字符",
  en: "an http or https address of at most 2000 characters",
};

/** Describes the body of the route. */
export const imageBody = z.strictObject({
  url: z
    .string()
    .max(2_000)
    .refine((written) => URL.canParse(written) && /^https?:/i.test(written), { params: { allowed: webAddress } })
    .meta({ format: "uri" })
    .describe("The http(s) address of an image."),
});

/** Lists the types that are passed on, by what the bytes are. None of them can hold a script, as an SVG can. */
const passedTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];

/** Limits one image, in bytes. */
const longestImage = 10_000_000;

/** Limits how many are fetched at a time for all and for one caller, and how many one caller may be waiting for. */
const mostAtOnce = 8;
const mostOfCaller = 2;
const mostWanted = 20;

/** Limits how long an image may take with the wait for its turn, in milliseconds. */
const longestMs = 60_000;

/** Is the tool that reads the web for a caller. */
const pageTool = { name: "read_page", source: "builtin" };

const notPermitted: HttpRefusal = {
  status: 403,
  error: "forbidden",
  text: {
    zh: "此调用者不能读取网页（需要工具 read_page）",
    en: "this caller may not read the web (needed: the tool read_page)",
  },
};

const tooManyWanted: HttpRefusal = {
  status: 429,
  error: "rate_limit",
  text: {
    zh: `同时取的图片太多（允许：每个调用者最多 ${mostWanted} 张）`,
    en: `too many images are being fetched (allowed: at most ${mostWanted} for a caller)`,
  },
};

/**
 * Serves `POST /agent/images`: an image of the internet that a person wants to see, fetched by the server, so that its site learns
 * nothing of the person. The addresses are those that the network tools may read, and the site gets no cookie.
 */
export function createImageRoute(api: ApiContext): Handle {
  const turns = createSemaphore(mostAtOnce);

  const callers = new Map<string, { turns: Semaphore; wanted: number }>();

  async function fetchImage(url: string, own: Semaphore, signal: AbortSignal): Promise<Uint8Array> {
    await own.acquire(signal);
    try {
      await turns.acquire(signal);
      try {
        return (await api.duet.fetchFile(url, longestImage, signal)).bytes;
      } finally {
        turns.release();
      }
    } finally {
      own.release();
    }
  }

  /** Fetches an image when it is the turn of its caller, so that one who wants many does not hold up the others. */
  async function fetchInTurn(url: string, { owner, tools }: Caller, signal: AbortSignal): Promise<Uint8Array> {
    const key = JSON.stringify([owner, tools]);
    const own = callers.get(key) ?? { turns: createSemaphore(mostOfCaller), wanted: 0 };
    if (own.wanted >= mostWanted) throw new HttpRefusalError(tooManyWanted);
    own.wanted += 1;
    callers.set(key, own);
    const limit = createTimeLimit(longestMs, () => timeoutError("url", longestMs), signal);
    try {
      return await fetchImage(url, own.turns, limit.signal);
    } finally {
      limit.clear();
      own.wanted -= 1;
      if (own.wanted === 0) callers.delete(key);
    }
  }

  return async (call) => {
    // Who may not have a page read may not have an image fetched either.
    const { tools } = call.caller;
    const isPermitted = tools === undefined || isNamePermitted(tools, pageTool);
    const offered = isPermitted ? (await api.duet.inventory(undefined, 0)).tools : [];
    if (!offered.some(({ name, source }) => name === pageTool.name && source === pageTool.source))
      throw new HttpRefusalError(notPermitted);
    const { url } = readFields(imageBody, await readJsonBody(call, api.settings.http.maxBody));
    const signal = createLeaveSignal(call.connection);
    const bytes = await fetchInTurn(url, call.caller, signal).catch((thrown: unknown) => {
      if (signal.aborted) return undefined;
      throw thrown instanceof DuetError ? toRefusalError(thrown) : thrown;
    });
    if (bytes === undefined) return new Response(null, { status: clientLeft });
    const type = detectMediaType(bytes);
    if (type === undefined || !passedTypes.includes(type)) throw noImageError(type);
    return toFileResponse(bytes, type);
  };
}

/** Whatever a browser does with the address itself, it runs nothing of a file. */
export function toFileResponse(bytes: Uint8Array, type: string, disposition = "inline"): Response {
  return new Response(new Uint8Array(bytes), {
    headers: {
      "content-type": type,
      "content-disposition": disposition,
      "content-security-policy": "default-src 'none'; sandbox",
    },
  });
}

/** The failure is that of another site, and nothing that is wrong with the caller's sign-in or this server. */
function toRefusalError({ text, hint }: DuetError): HttpRefusalError {
  return new HttpRefusalError({ status: 422, error: "invalid_request", text, hint });
}

function noImageError(type: string | undefined): HttpRefusalError {
  const allowed = passedTypes.map((each) => each.replace("image/", "").toUpperCase());
  return new HttpRefusalError({
    status: 422,
    error: "invalid_request",
    text: {
      zh: `该地址返回的不是可显示的图片：${type ?? "未知类型"}（允许：${allowed.join("、")}）`,
      en: `the address gave no image that can be shown: ${type ?? "an unknown type"} (allowed: ${allowed.join(", ")})`,
    },
  });
}
