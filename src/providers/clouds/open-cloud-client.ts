import { Readable } from "node:stream";
import type { CloudClient } from "../../core/model/model-settings.ts";
import { DuetError, getMessage } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { toLowerCase, usualHeaders } from "../wires/request-address.ts";
import { type ResponseBody, toResponseBody } from "../wires/response-body.ts";
import type { Exchange, TransportResponse } from "../wires/transport.ts";
import { type ClientParts, type CloudSettings, openers } from "./vendor-clients.ts";

/** Sends a body that a wire has written, over a vendor's client. */
export interface CloudRequests {
  post(path: string, body: object, signal: AbortSignal): Promise<TransportResponse>;
}

/**
 * Opens the client that writes the addresses and the authentication of a cloud's requests. The bodies are the wire's, and the
 * bytes go over `exchange`. Throws a `config` error where its package is missing, and an `auth` error for missing credentials.
 */
export async function openCloudClient(settings: CloudSettings, exchange: Exchange): Promise<CloudRequests> {
  const { cloud, provider } = settings;
  const client = await openers[cloud.client](settings, toParts(settings, exchange));
  return {
    async post(path, body, signal) {
      const response = await client
        .post(path, { body, signal })
        .asResponse()
        .catch((thrown: unknown) => {
          throw toOwnError(thrown, provider, cloud.client);
        });
      return {
        contentType: response.headers.get("content-type") ?? "",
        body: toResponseBody(response.body === null ? Readable.from([]) : Readable.fromWeb(response.body), signal),
      };
    },
  };
}

/** The longest time that a timer can have. */
const longestMs = 2 ** 31 - 1;

function toParts({ baseUrl, headers, query }: CloudSettings, exchange: Exchange): ClientParts {
  return {
    baseURL: baseUrl,
    fetch: toFetch(exchange),
    maxRetries: 0,
    timeout: longestMs,
    logLevel: "off",
    defaultHeaders: { ...ofThisMachine, ...usualHeaders, ...toLowerCase(headers) },
    defaultQuery: { ...query },
  };
}

/** The packages describe this machine to the vendor, which a request does not need. */
const ofThisMachine = Object.fromEntries(
  ["lang", "package-version", "os", "arch", "runtime", "runtime-version", "retry-count", "timeout"].map((name) => [
    `x-stainless-${name}`,
    null,
  ]),
);

/** Carries our own error through a client, which would wrap any other, or judge it by its words. */
class CarriedError extends Error {
  readonly carried: unknown;

  constructor(carried: unknown) {
    super("carried");
    this.carried = carried;
  }
}

function toFetch(exchange: Exchange): typeof fetch {
  return async (address, { headers, body, signal } = {}) => {
    try {
      const sent = Object.fromEntries(new Headers(headers));
      const answer = await exchange(String(address), sent, String(body), signal ?? new AbortController().signal);
      return new Response(toWebStream(answer.body), { headers: { "content-type": answer.contentType } });
    } catch (thrown) {
      throw new CarriedError(thrown);
    }
  };
}

function toWebStream(body: ResponseBody): ReadableStream<Uint8Array> {
  let isCancelled = false;
  let pulled = Promise.withResolvers<void>();
  return new ReadableStream({
    start(controller) {
      const passOn = (chunk: Buffer) => {
        pulled = Promise.withResolvers();
        controller.enqueue(chunk);
        return pulled.promise;
      };
      body.read(passOn).then(
        () => isCancelled || controller.close(),
        (thrown) => controller.error(thrown),
      );
    },
    pull: () => pulled.resolve(),
    cancel() {
      isCancelled = true;
      body.close(false);
    },
  });
}

function findCarried(thrown: unknown): CarriedError | undefined {
  for (let cause = thrown, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (cause instanceof CarriedError) return cause;
  }
  return undefined;
}

// Any other error was made before something was sent: there are no credentials, or no project.
function toOwnError(thrown: unknown, provider: string, client: CloudClient): unknown {
  const carried = findCarried(thrown);
  if (carried) return carried.carried;
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : undefined;
  const said = sanitizeLine([thrown, cause].flatMap((each) => (each ? getMessage(each) : [])).join(" ")).slice(0, 300);
  return new DuetError({
    code: "auth",
    text: { zh: `${provider}：没有可用的凭据（${said}）`, en: `${provider}: no usable credentials (${said})` },
    hint: credentialHints[client],
    cause: thrown,
  });
}

const credentialHints: Record<CloudClient, Text> = {
  azure: {
    zh: "请设置 AZURE_OPENAI_API_KEY 或 AZURE_OPENAI_AD_TOKEN。",
    en: "Set AZURE_OPENAI_API_KEY or AZURE_OPENAI_AD_TOKEN.",
  },
  bedrock: {
    zh: "请设置 AWS_BEARER_TOKEN_BEDROCK，或 AWS_ACCESS_KEY_ID 与 AWS_SECRET_ACCESS_KEY，或用 AWS_PROFILE 选择配置。",
    en: "Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or choose a profile with AWS_PROFILE.",
  },
  vertex: {
    zh: "请运行 gcloud auth application-default login，或设置 GOOGLE_APPLICATION_CREDENTIALS；项目用 GOOGLE_CLOUD_PROJECT 设置。",
    en: "Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS; GOOGLE_CLOUD_PROJECT sets the project.",
  },
};
