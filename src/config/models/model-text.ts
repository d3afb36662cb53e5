import { DuetError } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { configError, notAllowedError, unknownKeyError } from "../config-errors.ts";
import { hideSecrets } from "../secrets/mask.ts";
import { modelRows } from "../settings/model-settings.ts";
import { parseJson } from "../sources/parse-json.ts";
import { toSnakeCase } from "../sources/source.ts";

const example = '{"provider":"deepseek","model":"deepseek-chat","max_tokens":2000}';
const aModel = { zh: `JSON 对象，例如 ${example}`, en: `a JSON object such as ${example}` };

const camelCase = new Map(Object.keys(modelRows).map((key) => [toSnakeCase(key), key]));

/**
 * Reads a model as in `AGENT_FUNCTION_CALL_MODEL`: JSON with keys in `snake_case`. Throws a `config` error when it is invalid.
 */
export async function readModelJson(written: string, where: string, secrets: readonly string[]): Promise<unknown> {
  const value = await parseModelJson(written, where, secrets);
  if (!isRecord(value)) throw notAllowedError(where, shortenText(written, secrets), aModel);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const name = camelCase.get(key);
      if (name === undefined) throw unknownKeyError(`${where}: ${key}`, key, [...camelCase.keys()]);
      return [name, name === "capabilities" ? readCapabilities(item) : item];
    }),
  );
}

/** Reads the names of capabilities in `snake_case`, like all keys of a model in JSON. The schema refuses the others. */
function readCapabilities(written: unknown): unknown {
  if (!isRecord(written)) return written;
  return Object.fromEntries(Object.entries(written).map(([key, item]) => [capabilityNames.get(key) ?? key, item]));
}

const capabilityNames = new Map(Object.keys(modelRows.capabilities.rows).map((name) => [toSnakeCase(name), name]));

/** Reads a model as in `--function-call-model`: `provider`, `provider/model` (which may have slashes), or the JSON. */
export async function readModelFlag(written: string, where: string, secrets: readonly string[]): Promise<unknown> {
  if (written.trimStart().startsWith("{")) return readModelJson(written, where, secrets);
  const [provider = "", ...rest] = written.trim().split("/");
  const model = rest.join("/");
  if (provider !== "" && (rest.length === 0 || model !== "")) return { provider, model: model || undefined };
  throw notAllowedError(where, JSON.stringify(shortenText(written, secrets)), {
    zh: `provider、provider/model 或${aModel.zh}`,
    en: `provider, provider/model, or ${aModel.en}`,
  });
}

async function parseModelJson(written: string, where: string, secrets: readonly string[]): Promise<unknown> {
  try {
    return JSON.parse(written);
  } catch {
    const shown = shortenText(written, secrets);
    const fault = await findFault(written);
    throw configError(where, {
      zh: `${shown} 不是有效的 JSON（${fault.zh}）；允许：${aModel.zh}`,
      en: `${shown} is not valid JSON (${fault.en}); allowed: ${aModel.en}`,
    });
  }
}

/** Describes a JSON error and its place in our own words, because the messages of `JSON.parse` repeat the text with its keys. */
async function findFault(written: string): Promise<Text> {
  const thrown = await parseJson(written, "JSON", true).catch((fault: unknown) => fault);
  return thrown instanceof DuetError ? thrown.text : { zh: "JSON", en: "JSON" };
}

function shortenText(written: string, secrets: readonly string[]): string {
  const text = hideSecrets(written, secrets);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
