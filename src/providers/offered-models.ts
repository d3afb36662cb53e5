import type { ModelSettings } from "../core/model/model-settings.ts";
import { timeoutError } from "../kit/async/timeout.ts";
import { DuetError } from "../kit/errors.ts";
import { isRecord, tryParseJson } from "../kit/json.ts";
import { ProxyError } from "../kit/net/proxy-errors.ts";
import { findRoute, type Route } from "../kit/net/proxy-rules.ts";
import { version } from "../kit/version.ts";
import { badResponseError, connectionError, type ErrorOrigin, httpError } from "./errors/errors.ts";
import { apiVersion } from "./wires/anthropic-messages/api-version.ts";
import { toLowerCase, toRequestUrl } from "./wires/request-address.ts";

export interface ListingOptions {
  /** Limits the whole request, in milliseconds. */
  ms: number;
  signal?: AbortSignal | undefined;
}

/** Names where a list is asked for. */
export type ListingAddress = Pick<
  ModelSettings,
  "provider" | "wire" | "baseUrl" | "apiKey" | "apiKeyEnv" | "network" | "headers" | "query"
>;

/** Limits the list, in bytes. The longest public one takes less than a tenth of this. */
const longestList = 8 * 1024 * 1024;

/**
 * Returns the ids of the models that this address says it offers (`/v1/models`), and of them only those that can converse as far as
 * their names tell. Throws a `DuetError` that holds no key.
 */
export async function listOfferedModels(from: ListingAddress, { ms, signal }: ListingOptions): Promise<string[]> {
  const origin: ErrorOrigin = { ...from, model: "models" };
  const limit = AbortSignal.timeout(ms);
  try {
    const url = toListingUrl(from);
    const send = await openFetch(findRoute(from.network, url));
    const response = await send(url, {
      headers: {
        accept: "application/json",
        "user-agent": `duet-mcp/${version}`,
        ...(from.apiKey && { authorization: `Bearer ${from.apiKey}` }),
        ...(from.wire === "anthropic-messages" && { "anthropic-version": apiVersion }),
        ...toLowerCase(from.headers),
      },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      redirect: "error",
    });
    const body = await readText(response, origin);
    if (!response.ok) throw httpError({ status: response.status, headers: response.headers, body }, origin);
    return readIds(body, origin).filter(isForText);
  } catch (thrown) {
    signal?.throwIfAborted();
    if (limit.aborted) throw timeoutError(`${from.provider}: /models`, ms);
    throw thrown instanceof DuetError && !(thrown instanceof ProxyError) ? thrown : connectionError(thrown, origin);
  }
}

async function openFetch(route: Route | undefined): Promise<(url: URL, init: RequestInit) => Promise<Response>> {
  if (route === undefined) return fetch;
  const { createRoutedFetch } = await import("../kit/net/create-dispatcher.ts");
  return createRoutedFetch(route);
}

/** Anthropic's list comes in pages, of which one is enough. */
function toListingUrl({ wire, baseUrl, query }: ListingAddress): URL {
  if (wire !== "anthropic-messages") return toRequestUrl({ baseUrl, query }, "/models");
  const url = toRequestUrl({ baseUrl: baseUrl.replace(/\/v1$/, ""), query }, "/v1/models");
  url.searchParams.set("limit", "1000");
  return url;
}

async function readText(response: Response, origin: ErrorOrigin): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > longestList) throw unusableListError(origin);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function readIds(body: string, origin: ErrorOrigin): string[] {
  const list = tryParseJson(body);
  const models: unknown = isRecord(list) ? list.data : list;
  if (!Array.isArray(models)) throw unusableListError(origin);
  // Gemini's ids begin with the name of the collection.
  return models.flatMap((model: unknown) =>
    isRecord(model) && typeof model.id === "string" ? [model.id.replace(/^models\//, "")] : [],
  );
}

function unusableListError(origin: ErrorOrigin): DuetError {
  return badResponseError(
    origin,
    { zh: "模型列表无法读取", en: "the list of models cannot be read" },
    { retryable: false },
  );
}

const otherKinds =
  /(^|[-/_.])(embed|embedding|tts|asr|whisper|dall-e|image|imagen|veo|sora|lyria|audio|voice|realtime|transcribe|moderation|rerank|ocr|speech|video|davinci|babbage)/i;

/** Vendors list what makes images, speech or vectors, too, and nothing but the name tells. */
function isForText(id: string): boolean {
  return !otherKinds.test(id);
}

/** Names an Ollama server. */
export type OllamaAddress = Pick<ModelSettings, "baseUrl" | "network">;

/**
 * Returns the id of the first model of the Ollama server at this address, or undefined when it does not answer within `ms`
 * milliseconds.
 */
export async function findOllama(address: OllamaAddress, signal?: AbortSignal, ms = 300): Promise<string | undefined> {
  try {
    const [first] = await listOfferedModels({ provider: "ollama", wire: "openai-chat", ...address }, { ms, signal });
    return first;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
