import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { waitForDrain } from "../../kit/async/wait-for-drain.ts";
import { DuetError } from "../../kit/errors.ts";
import { toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { type HttpTarget, openDirectTarget } from "../../kit/net/http-target.ts";
import { findRoute, type ProxyRules } from "../../kit/net/proxy-rules.ts";
import type { HttpFailure } from "../errors/errors.ts";
import { openModelConnections, type Post } from "./model-connections.ts";
import type { Address } from "./request-address.ts";
import { type ResponseBody, toResponseBody } from "./response-body.ts";
import { ResponseReceiver } from "./response-receiver.ts";

/** Sends requests with Node's `http`: the built-in `fetch` costs twice the CPU. */
export interface Transport {
  /** Throws a `Refusal` for every status but 200, and the signal's reason when the caller leaves. */
  post(address: Address, body: object, signal: AbortSignal): Promise<TransportResponse>;
}

/** Represents an answer that has begun; the caller owns its body. */
export interface TransportResponse {
  contentType: string;
  body: ResponseBody;
}

/** Holds the start of a body, and says why it is not the whole. */
interface BodyStart {
  text: string;
  bodyProblem: Text | undefined;
}

/** Represents an answer with a status other than 200. */
export class HttpRefusal extends Error implements HttpFailure {
  override readonly name = "Refusal";
  readonly status: number;
  readonly headers: Headers;
  /** Holds the start of the answer's text. */
  readonly body: string;
  readonly bodyProblem: Text | undefined;

  constructor(status: number, headers: Headers, { text, bodyProblem }: BodyStart) {
    super(`HTTP ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = text;
    this.bodyProblem = bodyProblem;
  }
}

/** Limits what is read of an error's body, in bytes. */
const errorBodyLimit = 64 * 1024;

/** Limits how long an error's body is read, in milliseconds: its status is known, and it may never end. */
const defaultErrorBodyMs = 5000;

/**
 * Limits how long connecting may take, TLS included, in milliseconds. It counts for models that may be silent for
 * longer than that: an address that does not answer is no model that thinks.
 */
const defaultConnectMs = 30_000;

export interface TransportOptions {
  network?: ProxyRules | undefined;
  connectMs?: number;
  errorBodyMs?: number;
}

/** Tests limit `connectMs` and `errorBodyMs`. */
export function openTransport(options: TransportOptions = {}): Transport {
  const exchange = openExchange(options);
  return { post: ({ url, headers }, body, signal) => exchange(url, headers, JSON.stringify(body), signal) };
}

/** Sends one POST request. Throws as `post` does. */
export type Exchange = (
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
) => Promise<TransportResponse>;

/** Opens the connections of a model. */
export function openExchange({
  network,
  connectMs = defaultConnectMs,
  errorBodyMs = defaultErrorBodyMs,
}: TransportOptions = {}): Exchange {
  let opened: { url: string; post: Post | Promise<Post> } | undefined;

  /** A model has one address, so that there is one route, and an address is read once. */
  function open(url: string): Post | Promise<Post> {
    if (opened?.url === url) return opened.post;
    const target = openTarget(new URL(url), network, connectMs);
    const post =
      target instanceof Promise
        ? target.then((given) => openModelConnections(given, connectMs))
        : openModelConnections(target, connectMs);
    opened = { url, post };
    return post;
  }

  return async (url, headers, body, signal) => {
    const opening = open(url);
    const post = opening instanceof Promise ? await opening : opening;
    signal.throwIfAborted();
    const response = new ResponseReceiver(signal);
    post({ headers, body, signal }, response);
    const { status, headers: given, body: sent } = await response.head;
    const decoded = decodeBody(sent, toText(given["content-encoding"]), signal);
    if (status === 200) return { contentType: toText(given["content-type"]), body: decoded };
    const shown = new Headers();
    for (const [name, value] of Object.entries(given)) shown.set(name, String(value));
    throw new HttpRefusal(status, shown, await readStart(decoded, errorBodyMs, signal));
  };
}

/** Nothing but what a route needs is loaded. */
function openTarget(url: URL, network: ProxyRules | undefined, connectMs: number): HttpTarget | Promise<HttpTarget> {
  const route = findRoute(network, url);
  return route === undefined
    ? openDirectTarget(url)
    : import("../../kit/net/routed-target.ts").then((net) => net.openRoutedTarget(url, route, connectMs));
}

/** Some proxies compress although we ask them not to. */
function decodeBody(body: ResponseBody, encoding: string, signal: AbortSignal): ResponseBody {
  // To look for a decoder loads zlib.
  const decoder = encoding === "" ? undefined : createDecoder(encoding.trim().toLowerCase());
  if (!decoder) return body;
  const decoded = toResponseBody(decoder, signal);
  return {
    read(onChunk) {
      const passOn = (chunk: Buffer) =>
        decoder.write(chunk) || decoder.destroyed ? decoder.destroyed : waitForDrain(decoder);
      body.read(passOn).then(
        () => decoder.end(),
        (thrown) => decoder.destroy(thrown),
      );
      return decoded.read(onChunk);
    },
    close(isWhole) {
      decoder.destroy();
      body.close(isWhole);
    },
  };
}

function createDecoder(encoding: string) {
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip(flush);
  if (encoding === "deflate") return createInflate(flush);
  if (encoding === "br") return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
  return undefined;
}

/**
 * Reads what comes of an error's body within its limits. The status is known, however the body ends, also where a limit of the wait for
 * the model ends it. Rejects only when the caller leaves, with the signal's reason.
 */
async function readStart(body: ResponseBody, limitMs: number, signal: AbortSignal): Promise<BodyStart> {
  const chunks: Buffer[] = [];
  let length = 0;
  const over = Promise.withResolvers<Text | undefined>();
  // What arrived while this process was busy is read first: timers come before sockets.
  const timer = setTimeout(() => setImmediate(() => over.resolve(describeEndless(limitMs))), limitMs);
  body
    .read((chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      return length > errorBodyLimit;
    })
    .then(
      (isEnough) => over.resolve(isEnough ? tooLong : undefined),
      () => {
        if (!signal.aborted) over.resolve(brokenOff);
        else if (isTimeout(signal.reason)) over.resolve(unfinished);
        else over.reject(signal.reason);
      },
    );
  try {
    const bodyProblem = await over.promise;
    return { text: Buffer.concat(chunks).subarray(0, errorBodyLimit).toString("utf8"), bodyProblem };
  } finally {
    clearTimeout(timer);
    body.close(false);
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DuetError && reason.code === "timeout";
}

function describeEndless(ms: number): Text {
  return { zh: `响应正文在 ${ms / 1000} 秒内没有结束`, en: `its body did not end within ${ms / 1000} s` };
}

const unfinished: Text = { zh: "响应正文没有及时结束", en: "its body did not end in time" };

const tooLong: Text = {
  zh: `响应正文超过 ${errorBodyLimit} 字节，其余未读`,
  en: `its body is longer than ${errorBodyLimit} bytes, and the rest was not read`,
};

const brokenOff: Text = { zh: "响应正文中断", en: "its body was cut off" };
