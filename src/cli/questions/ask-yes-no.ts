import { readYesNo } from "../../core/questions/yes-no.ts";
import { say } from "../../kit/locale.ts";
import { yesOrNo } from "../../render/questions/terminal-wording.ts";
import { askLine, type Reader } from "./reader.ts";

/** Asks until it is a yes or a no; undefined when the input has ended. Rejects when the signal aborts. */
export async function askYesNo(reader: Reader, query: string, signal: AbortSignal): Promise<boolean | undefined> {
  for (;;) {
    const line = (await askLine(reader, query, signal))?.trim();
    const answer = line === undefined ? undefined : readYesNo(line);
    if (line === undefined || answer !== undefined) return answer;
    if (line !== "") reader.write(say(reader.locale, yesOrNo));
  }
}
