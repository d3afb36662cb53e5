import { isRecord } from "../core/json.ts";

/** The id of the first model of the Ollama at `baseUrl`; undefined when nothing answers within 300 ms. */
export async function findOllama(baseUrl: string, signal?: AbortSignal): Promise<string | undefined> {
  const limit = AbortSignal.timeout(300);
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`, {
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      redirect: "error",
    });
    if (!response.ok) return void (await response.body?.cancel());
    const list: unknown = await response.json();
    const first: unknown = isRecord(list) && Array.isArray(list.data) ? list.data[0] : undefined;
    return isRecord(first) && typeof first.id === "string" ? first.id : undefined;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
