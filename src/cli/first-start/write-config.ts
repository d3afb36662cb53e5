import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { configError, unwritableFileError } from "../../config/config-errors.ts";
import { readText } from "../../config/sources/find-file.ts";
import { createStarterFile, type StarterModel } from "../../config/starter-file.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { Locale } from "../../kit/locale.ts";
import { writePrivateFile } from "../../kit/private-file.ts";
import { escapeRegExp } from "../../kit/text/escape-reg-exp.ts";

/** Holds what the first start has found out. */
export interface FirstSettings extends StarterModel {
  /** Holds the key that was typed and the variable under which it is stored. */
  key?: { variable: string; value: string };
}

/**
 * Writes the user's configuration, and a typed key to the `.env` beside it, for the user alone. The configuration comes last and in
 * one piece: without it nothing is read. Throws a `config` error where a file cannot be written, and takes back what it wrote.
 */
export async function writeFirstSettings(
  file: string,
  { key, ...model }: FirstSettings,
  locale: Locale,
): Promise<{ dotEnv: string | undefined }> {
  const dotEnv = join(dirname(file), ".env");
  const before = key === undefined ? undefined : await readText(dotEnv, dotEnv);
  if (key !== undefined) await write(dotEnv, withVariable(before, key, dotEnv));
  try {
    if (existsSync(file))
      throw configError(file, { zh: "文件已存在，不会覆盖", en: "already exists and is not overwritten" });
    await write(file, createStarterFile(locale, { setsLocale: false, ...model }));
  } catch (thrown) {
    const restoring = before === undefined ? rm(dotEnv, { force: true }) : write(dotEnv, before);
    if (key !== undefined) await ignoreRejection(restoring, "the first error is the one that counts");
    throw thrown;
  }
  return { dotEnv: key === undefined ? undefined : dotEnv };
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writePrivateFile(file, text);
  } catch (thrown) {
    throw unwritableFileError(file, thrown);
  }
}

/** Returns the text of a `.env` file in which the variable has the value, whatever it held before. */
function withVariable(text = "", { variable, value }: NonNullable<FirstSettings["key"]>, file: string): string {
  const line = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${escapeRegExp(variable)}[ \\t]*=.*\\n?`, "gm");
  const rest = text.replace(line, "");
  const start = rest === "" || rest.endsWith("\n") ? rest : `${rest}\n`;
  for (const quote of ["'", '"', "`"]) {
    const whole = `${start}${variable}=${quote}${value}${quote}\n`;
    if (!value.includes(quote) && parseEnv(whole)[variable] === value) return whole;
  }
  throw configError(file, { zh: "密钥含有不能写入的字符", en: "the key has characters that cannot be written there" });
}
