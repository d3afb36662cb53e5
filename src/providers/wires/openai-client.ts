import { OpenAI } from "openai/client";
import type { ModelSettings } from "../../core/model-settings.ts";

/** Opens OpenAI's package as both OpenAI wires use it: only to build addresses and sign requests. */
export function openClient(settings: ModelSettings): OpenAI {
  return new OpenAI({
    // Everything that the package would otherwise take from the environment is set.
    apiKey: settings.apiKey ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: settings.baseUrl,
    logLevel: "off",
  });
}
