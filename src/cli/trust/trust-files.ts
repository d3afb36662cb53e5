import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readText } from "../../config/sources/find-file.ts";
import { parseJson } from "../../config/sources/parse-json.ts";
import { listDotEnvVariables, listFileVariables } from "../../config/sources/used-variables.ts";
import { maskDotEnvText, maskFileText } from "../../config/trust/mask-preview.ts";
import { listEffects, type TrustEffect } from "../../config/trust/trust-effects.ts";
import { previewDotEnv, previewFile, type TrustPreviewItem } from "../../config/trust/trust-preview.ts";

/** Holds a file that somebody is asked to trust, and what is shown of it. */
export interface TrustFile {
  file: string;
  text: string;
  /** Holds the text with secrets masked. */
  shownText: string;
  /** Lists what it would start, call, load and run. */
  effects: readonly TrustEffect[];
  preview: readonly TrustPreviewItem[];
  /** Lists the environment variables whose values the file uses or passes on. */
  uses: readonly string[];
  /** Is true for instructions for models, which start nothing. `isKnown` says whether they are trusted already. */
  isInstruction?: boolean;
  isKnown?: boolean;
}

/** Reads the configuration and the `.env` beside it, of which either may be absent. Throws a `config` error for one that cannot be read. */
export async function readTrustFiles(file: string, dotEnv: string): Promise<TrustFile[]> {
  const shown: TrustFile[] = [];
  const text = await readText(file, file);
  if (text !== undefined) {
    const tree = await parseJson(text, file);
    const [preview, uses] = [previewFile(tree), listFileVariables(tree)];
    const effects = listEffects(tree);
    shown.push({ file: await resolveFolder(file), text, shownText: maskFileText(text, tree), effects, preview, uses });
  }
  const variables = await readText(dotEnv, dotEnv);
  if (variables !== undefined) {
    const [preview, uses] = [previewDotEnv(variables, text ?? ""), listDotEnvVariables(variables)];
    const shownText = maskDotEnvText(variables, text ?? "");
    shown.push({ file: await resolveFolder(dotEnv), text: variables, shownText, effects: [], preview, uses });
  }
  return shown;
}

/** Resolves the folder's own path, which a process that starts there uses; the file itself may be a link. */
async function resolveFolder(file: string): Promise<string> {
  return join(await realpath(dirname(file)), basename(file));
}
