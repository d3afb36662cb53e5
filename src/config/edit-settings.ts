import { chmod, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { removeJsonValue, setJsonValue } from "../kit/edit-json.ts";
import { DuetError } from "../kit/errors.ts";
import { createRandomHex } from "../kit/random.ts";
import type { Config } from "./config.ts";
import { notAllowedError, unwritableFileError } from "./config-errors.ts";
import { loadConfig } from "./load-config.ts";
import { editableSettings } from "./settings/editable-settings.ts";
import { parseJson } from "./sources/parse-json.ts";

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
 * changed then.
 */
export async function editSettings(config: EditedConfig, { set, unset }: SettingChanges): Promise<void> {
  const { environment, directory } = config;
  if (config.file === undefined) throw noFileError();
  for (const key of [...Object.keys(set), ...unset]) if (!editableSettings.includes(key)) throw notEditableError(key);
  const file = await realpath(config.file);
  const before = await readFile(file, "utf8");
  let text = before;
  for (const [key, value] of Object.entries(set)) text = setJsonValue(text, key.split("."), value);
  for (const key of unset) text = removeJsonValue(text, key.split("."));
  const draft = `${file}.${createRandomHex()}.tmp`;
  try {
    await write(draft, text, (await stat(file)).mode);
    await loadConfig({ config: draft }, environment, directory).catch((thrown: unknown) => {
      throw thrown instanceof DuetError ? renameFile(thrown, draft, file) : thrown;
    });
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
