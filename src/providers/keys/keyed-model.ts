import { type Model, replaceStream, toModelName } from "../../core/model/model.ts";
import type { ModelSettings } from "../../core/model/model-settings.ts";
import { DuetError } from "../../kit/errors.ts";
import { createDelivery } from "../middleware/delivery.ts";
import type { CommandKeys } from "./command-keys.ts";

/**
 * Gives a model the key that its command prints. The command runs before the first request, and once more for a request that is
 * refused with 401, because such keys may be valid for an hour.
 */
export function createKeyedModel(
  settings: ModelSettings,
  keys: CommandKeys | undefined,
  open: (settings: ModelSettings) => Model,
): Model {
  const { apiKeyCommand: command } = settings;
  const plain = open(settings);
  if (command === undefined || keys === undefined) return plain;
  let current: { key: string; model: Model } | undefined;

  /** Returns the same model for the same key. */
  function openWith(key: string): Model {
    if (current?.key !== key) current = { key, model: open({ ...settings, apiKey: key }) };
    return current.model;
  }

  return replaceStream(plain, async (request, onEvent, signal) => {
    const key = await keys.get(command, signal).catch(addName);
    const delivery = createDelivery(onEvent);
    try {
      return await openWith(key).stream(request, delivery.onEvent, signal);
    } catch (thrown) {
      if (delivery.isFinal || signal.aborted || !isRefusedKey(thrown)) throw thrown;
      const renewed = await keys.renew(command, key, signal).catch(addName);
      if (renewed === key) throw thrown;
      return openWith(renewed).stream(request, onEvent, signal);
    }
  });

  function addName(thrown: unknown): never {
    if (!(thrown instanceof DuetError) || thrown.code !== "auth") throw thrown;
    const { code, text, hint } = thrown;
    const name = toModelName(settings);
    throw new DuetError({
      code,
      text: { zh: `${name}：${text.zh}`, en: `${name}: ${text.en}` },
      ...(hint && { hint }),
      cause: thrown,
    });
  }
}

function isRefusedKey(thrown: unknown): boolean {
  return thrown instanceof DuetError && thrown.status === 401;
}
