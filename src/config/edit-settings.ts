import { chmod, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { removeJsonValue, setJsonValue } from "../kit/edit-json.ts";
import { DuetError } from "../kit/errors.ts";
import { isRecord } from "../kit/json.ts";
import { createRandomHex } from "../kit/random.ts";
import type { Config } from "./config.ts";
import { configError, notAllowedError, unwritableFileError } from "./config-errors.ts";
import { loadConfig } from "./load-config.ts";
import { readModelName } from "./models/resolve-model.ts";
import { editableSettings } from "./settings/editable-settings.ts";
import { parseJson } from "./sources/parse-json.ts";
import { getValue } from "./sources/setting-path.ts";

/** Says what is changed in the configuration file. */
export interface SettingChanges {
  /** Maps keys, such as `agent.maxIterations`, to their values. */
  set: Readonly<Record<string, unknown>>;
  /** Names the keys that are removed. */
  unset: readonly string[];
}

type EditedConfig = Pick<Config, "file" | "environment" | "directory">;

/**
 * Changes the configuration file, and leaves everything else in it as it is written. The changed file is read as at a start before it takes
 * the place of the old one. Throws a `DuetError` of a line for each fault, with the key, the value and what is allowed; nothing is
 * changed then. Only the settings of `editable` can be changed.
 */
export async function editSettings(
  config: EditedConfig,
  { set, unset }: SettingChanges,
  editable: readonly string[] = editableSettings,
): Promise<void> {
  const { environment, directory } = config;
  const keys = [...Object.keys(set), ...unset];
  if (config.file === undefined) throw noFileError();
  for (const key of keys) if (!editable.includes(key)) throw notEditableError(key);
  const file = await realpath(config.file);
  const before = await readFile(file, "utf8");
  // A key that stands twice is refused here: nobody could say which of the two is changed.
  let text = expandShortForms(before, await parseJson(before, file), keys);
  for (const [key, value] of Object.entries(set)) text = setJsonValue(text, key.split("."), value);
  for (const key of unset) text = removeJsonValue(text, key.split("."));
  const draft = `${file}.${createRandomHex()}.tmp`;
  try {
    await write(draft, text, (await stat(file)).mode);
    const changed = await loadConfig({ config: draft }, environment, directory).catch((thrown: unknown) => {
      throw thrown instanceof DuetError ? renameFile(thrown, draft, file) : thrown;
    });
    for (const role of modelRoles) if (keys.includes(`models.${role}.provider`)) checkProvider(changed, role);
    if ((await readFile(file, "utf8")) !== before) throw changedMeanwhileError();
    await rename(draft, file).catch((thrown: unknown) => {
      throw unwritableFileError(file, thrown);
    });
  } finally {
    await ignoreRejection(rm(draft, { force: true }), "a draft that stays does no harm");
  }
}

/** Returns what the file holds now; undefined where there is none. */
export async function readSettingsFile({ file }: Pick<Config, "file">): Promise<unknown> {
  return file === undefined ? undefined : parseJson(await readFile(file, "utf8"), file);
}

/** Reads the configuration as the next start will find it, without flags; that of the process where it has no file. */
export async function loadNextConfig(config: Config): Promise<Config> {
  const { file, environment, directory } = config;
  return file === undefined ? config : loadConfig({ config: file }, environment, directory);
}

const modelRoles = ["functionCall", "answer"] as const;

/** The key of another vendor must not be sent to an address that was written for this one. */
function checkProvider({ settings }: Pick<Config, "settings">, role: (typeof modelRoles)[number]): void {
  const { baseUrl, apiKeyEnv } = settings.models?.[role] ?? {};
  if (baseUrl === undefined && apiKeyEnv === undefined) return;
  throw configError(`models.${role}.provider`, {
    zh: "这个模型写有 baseUrl 或 apiKeyEnv，属于原来的提供商；请在配置文件中一起修改",
    en: "this model has a baseUrl or an apiKeyEnv of its provider; change them together in the configuration file",
  });
}

/** Makes objects of models that are written as `provider/model`, where a part of them is changed. */
function expandShortForms(text: string, values: unknown, keys: readonly string[]): string {
  let expanded = text;
  for (const role of modelRoles) {
    const path = ["models", role];
    const written = getValue(values, path);
    if (typeof written !== "string" || !keys.some((key) => key.startsWith(`models.${role}.`))) continue;
    const named = readModelName(written);
    if (named !== undefined) expanded = setJsonValue(expanded, path, named);
  }
  for (const key of keys) {
    const parent = getValue(values, key.split(".").slice(0, 1));
    if (key.includes(".") && parent !== undefined && parent !== null && !isRecord(parent))
      throw notAllowedError(key.split(".")[0] ?? key, JSON.stringify(parent), { zh: "对象", en: "an object" });
  }
  return expanded;
}

async function write(draft: string, text: string, mode: number): Promise<void> {
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600 });
    await chmod(draft, mode & 0o7777);
  } catch (thrown) {
    throw unwritableFileError(draft, thrown);
  }
}

/** The draft has another name than the file that people know. */
function renameFile({ code, text, hint }: DuetError, draft: string, file: string): DuetError {
  const [wrong = "", right = ""] = [draft, file].map((path) => path.split(/[\\/]/).at(-1));
  const toName = (line: string): string => line.replaceAll(draft, file).replaceAll(wrong, right);
  return new DuetError({ code, text: { zh: toName(text.zh), en: toName(text.en) }, hint });
}

function notEditableError(key: string): DuetError {
  const allowed = editableSettings.join(", ");
  return notAllowedError("settings", JSON.stringify(key), {
    zh: `${allowed}；其余请在配置文件中修改`,
    en: `${allowed}; everything else is changed in the configuration file`,
  });
}

function noFileError(): DuetError {
  return new DuetError({
    code: "config",
    text: { zh: "没有可以修改的配置文件", en: "there is no configuration file to change" },
    hint: { zh: "请运行 duet config init。", en: "Run duet config init." },
  });
}

function changedMeanwhileError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: "配置文件刚刚被别处修改，没有写入；请再试一次",
      en: "the configuration file was changed elsewhere meanwhile, and was not written; try again",
    },
  });
}
