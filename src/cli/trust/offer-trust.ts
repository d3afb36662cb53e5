import { setImmediate } from "node:timers/promises";
import { findTrustedFiles, getFallbackLocale, getProgramPaths } from "../../config/load-config.ts";
import type { Flags } from "../../config/settings/settings.ts";
import { createStateFolder } from "../../config/sources/state-folder.ts";
import { isTrusted, readDeclined, readTrusted, refuseFiles, trustFiles } from "../../config/trust/trusted-files.ts";
import { readYesNo } from "../../core/questions/yes-no.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import type { Console } from "../console.ts";
import { LeftDialog, openTypedDialog, type TypedDialog } from "../first-start/typed-dialog.ts";
import { canRunCode, quoteName, renderEffects, startsNothing } from "./render-effects.ts";
import { readTrustFiles, type TrustFile } from "./trust-files.ts";

export interface TrustOffer {
  flags: Flags;
  console: Pick<Console, "stdin" | "stdout">;
  signal: AbortSignal;
  /** Says from where the program was started; the process's own place when absent. */
  place?: Pick<ReturnType<typeof getProgramPaths>, "environment" | "directory">;
}

/**
 * Asks a person whether to trust the configuration that was found in this folder and is not used: it shows what that would
 * start, call and load. A yes holds for exactly this content, and a no is not asked again. Returns "left" where the person leaves
 * the program instead.
 */
export async function offerTrust({
  flags,
  console,
  signal,
  place: { environment, directory } = getProgramPaths(),
}: TrustOffer): Promise<"answered" | "left"> {
  const found = findTrustedFiles(flags, environment, directory);
  // What cannot be read is told by whoever loads the configuration.
  const files = await ignoreRejection(
    readTrustFiles(found.file, found.dotEnv),
    "the line about the unused file stands",
  );
  const declined = await readDeclined(found.home);
  const trusted = await readTrusted(found.home);
  const isKnown = ({ file, text }: TrustFile): boolean =>
    isTrusted(declined, file, text) || isTrusted(trusted, file, text);
  if (files === undefined || files.length === 0 || files.every(isKnown)) return "answered";
  const locale = getFallbackLocale(flags, environment);
  const dialog = openTypedDialog(console, signal);
  try {
    // What was typed before the question could be read answers nothing.
    for (let turns = 0; turns < 2; turns++) await setImmediate();
    dialog.write(say(locale, heading));
    for (const file of files) for (const line of renderSummary(file, locale)) dialog.write(line);
    const agrees = await askYesNo(dialog, locale);
    createStateFolder(found);
    const remembering = (agrees ? trustFiles : refuseFiles)(files, found.home);
    await ignoreRejection(remembering, "the line about the unused file says what to do");
    return "answered";
  } catch (thrown) {
    if (!(thrown instanceof LeftDialog)) throw thrown;
    return thrown.isInterrupt ? "left" : "answered";
  } finally {
    dialog.close();
  }
}

/** Renders what a file would do, without its text. */
function renderSummary({ file, effects, preview, uses }: TrustFile, locale: Locale): string[] {
  const isDotEnv = file.endsWith(".env");
  const names = preview.map(({ key, isDangerous }) => quoteName(key) + (isDangerous ? say(locale, canRunCode) : ""));
  const list = names.join(locale === "zh" ? "、" : ", ");
  const variables = isDotEnv && names.length > 0 ? [`${say(locale, setsVariables)}${list}`] : [];
  const sent = isDotEnv && uses.length > 0 ? [`${say(locale, sends)}${uses.map(quoteName).join(", ")}`] : [];
  const lines = [...renderEffects(effects, locale), ...variables, ...sent];
  const shown = lines.length > 0 ? lines : [say(locale, startsNothing)];
  return [sanitizeLine(file), ...shown.map((line) => `  ${sanitize(line)}`)];
}

async function askYesNo(dialog: TypedDialog, locale: Locale): Promise<boolean> {
  for (;;) {
    const answer = readYesNo(await dialog.ask(say(locale, query)));
    if (answer !== undefined) return answer;
  }
}

const heading: Text = {
  zh: "这个文件夹在 git 工作区中，其中的配置可能来自他人，还没有被信任。信任后它会：",
  en: "This folder is in a git work tree. Its configuration may be somebody else's, and is not trusted. Once trusted, it",
};
const query: Text = {
  zh: "信任以上内容？（全文：duet config trust）[y/n] ",
  en: "Trust this? (The full text: duet config trust) [y/n] ",
};
const setsVariables: Text = { zh: "设置变量 ", en: "sets the variables " };
const sends: Text = { zh: "把这些密钥送往它设置的地址：", en: "sends to an address that it sets: " };
