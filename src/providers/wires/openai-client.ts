import { OpenAI } from "openai/client";
import type { ModelSettings } from "../../core/model-settings.ts";

/** OpenAI's package as both of its wires use it: to address and sign. */
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
