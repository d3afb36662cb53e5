import { isRecord } from "../kit/json.ts";

/**
 * Returns the id of the first model of the Ollama server at `baseUrl`, or undefined when it does not answer within `ms`
 * milliseconds.
 */
export async function findOllama(baseUrl: string, signal?: AbortSignal, ms = 300): Promise<string | undefined> {
  const [first] = await listOllama(baseUrl, ms, signal);
  return first;
}

/** Returns the model ids of the Ollama server at `baseUrl`, or none when it does not answer within `ms` milliseconds. */
export async function listOllama(baseUrl: string, ms: number, signal?: AbortSignal): Promise<string[]> {
  const limit = AbortSignal.timeout(ms);
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`, {
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      redirect: "error",
    });
    if (!response.ok) {
      await response.body?.cancel();
      return [];
    }
    const list: unknown = await response.json();
    const models: unknown[] = isRecord(list) && Array.isArray(list.data) ? list.data : [];
    return models.flatMap((model) => (isRecord(model) && typeof model.id === "string" ? [model.id] : []));
  } catch {
    signal?.throwIfAborted();
    return [];
  }
}
