import type { ModelSettings } from "../../core/model/model-settings.ts";
import { createOnce } from "../../kit/async/once.ts";
import { openExchange, openTransport, type Transport } from "../wires/transport.ts";

/**
 * Opens the connections of a model. Where the vendor has a client of its own, that writes the addresses and the authentication; it
 * is loaded by the first request.
 */
export function openModelTransport(settings: ModelSettings): Transport {
  const { cloud } = settings;
  if (cloud === undefined) return openTransport(settings);
  const client = createOnce(async () => {
    const { openCloudClient } = await import("./open-cloud-client.ts");
    return openCloudClient({ ...settings, cloud }, openExchange(settings));
  });
  return { post: async ({ path }, body, signal) => (await client.get()).post(path, body, signal) };
}
