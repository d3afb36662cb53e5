import { OpenAI } from "openai/client";
import type { HttpFailure } from "./errors.ts";
import type { ModelSettings } from "./settings.ts";
import type { Transport } from "./transport.ts";

/** OpenAI's package as both of its wires use it: it signs and sends; retries, limits and reading are ours. */
export function openClient(settings: ModelSettings, transport: Transport): OpenAI {
  return new OpenAI({
    // Everything that the package would otherwise take from the environment is set.
    apiKey: settings.apiKey ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: settings.baseUrl,
    fetch: transport.fetch,
    logLevel: "off",
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
  });
}

/** What the package threw for an error status; undefined for anything else. */
export function failureOf(thrown: unknown): HttpFailure | undefined {
  if (!(thrown instanceof OpenAI.APIError) || thrown.status === undefined) return undefined;
  return { status: thrown.status, headers: thrown.headers, body: thrown.error ?? thrown.message.slice(4) };
}
