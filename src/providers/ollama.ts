import { isRecord } from "../kit/json.ts";

/** The id of the first model of the Ollama at `baseUrl`; undefined when nothing answers within `ms` milliseconds. */
export async function findOllama(baseUrl: string, signal?: AbortSignal, ms = 300): Promise<string | undefined> {
  const [first] = await listOllama(baseUrl, ms, signal);
  return first;
}

/** The ids of the models of the Ollama at `baseUrl`; none when nothing answers within `ms` milliseconds. */
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
