import { readFile, stat } from "node:fs/promises";
import { openOutputSchema } from "../app/ask/answer-form.ts";
import type { AnswerForm } from "../core/answer-form.ts";
import { DuetError, getMessage } from "../kit/errors.ts";
import type { Text } from "../kit/locale.ts";
import { toShortLine } from "../kit/text/sanitize.ts";

/** Limits the file, in bytes. The schema itself may be smaller still. */
const mostBytes = 1_000_000;

/** Opens the form of an answer from a file with a JSON Schema. Throws a `config` error of one line that names the file. */
export async function openSchemaFile(file: string): Promise<AnswerForm> {
  const shown = `--schema: ${toShortLine(JSON.stringify(file), 200)}`;
  return openOutputSchema(await readJson(file, shown), { field: shown, code: "config" });
}

async function readJson(file: string, shown: string): Promise<unknown> {
  const text = await readText(file, shown);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    const reason = toShortLine(getMessage(thrown), 120);
    throw schemaFileError(shown, { zh: `不是 JSON：${reason}`, en: `it is not JSON: ${reason}` });
  }
}

async function readText(file: string, shown: string): Promise<string> {
  try {
    const found = await stat(file);
    if (found.isFile() && found.size <= mostBytes) return await readFile(file, "utf8");
  } catch (thrown) {
    const reason = toShortLine(getMessage(thrown), 120);
    throw schemaFileError(shown, { zh: `无法读取：${reason}`, en: `it cannot be read: ${reason}` });
  }
  throw schemaFileError(shown, {
    zh: `不能读取（允许：至多 ${mostBytes} 字节的文件）`,
    en: `it cannot be read (allowed: a file of at most ${mostBytes} bytes)`,
  });
}

function schemaFileError(shown: string, { zh, en }: Text): DuetError {
  return new DuetError({ code: "config", text: { zh: `${shown}：${zh}`, en: `${shown}: ${en}` } });
}
