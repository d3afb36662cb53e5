import type { ReadCurrent } from "../../app/questions/current-file.ts";
import type { FolderConsent } from "../../app/questions/folder-consent.ts";
import { reviewCall } from "../../app/questions/review-call.ts";
import { renderSavedRule, type SavedRule, type SavedRules, toSavedRule } from "../../app/questions/saved-rules.ts";
import type { UserQuestion, UserReply } from "../../core/questions/user-question.ts";
import { getMessage } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import type { CallChoice, CallOptions } from "../../render/questions/call-wording.ts";
import type { ReviewLine } from "../../render/questions/review-lines.ts";
import { showLookAlikes } from "../../render/questions/show-arguments.ts";
import { createLine, type Line, type Style } from "../terminal/text/line.ts";
import { wrapLine } from "../terminal/text/wrap.ts";
import type { Reader } from "./reader.ts";

export interface AskAboutCallOptions {
  consent: FolderConsent | undefined;
  reader: Pick<Reader, "locale" | "write">;
  ask(options: Pick<CallOptions, "review" | "savedRule" | "isUnlimited">): Promise<CallChoice>;
}

/** Asks about a call, unless a saved rule allows it. */
export async function askAboutCall(
  question: UserQuestion<"call">,
  { consent, reader, ask }: AskAboutCallOptions,
): Promise<UserReply<"call">> {
  const review = await reviewCall(question, consent?.readCurrent ?? readNothing);
  const rule = consent && toSavedRule(question, { folder: consent.saved.folder, review });
  if (rule && (await consent.saved.has(rule))) {
    reader.write(createLine(describeAllowed(question.tool, rule, reader), "dim"));
    return "once";
  }
  const savedRule = rule && renderSavedRule(rule);
  let choice = await ask({ review, savedRule });
  while (choice === "show") choice = await ask({ review, savedRule, isUnlimited: true });
  if (choice !== "save") return choice;
  // The yes counts for this call, and the rule for later ones.
  if (consent && rule) await saveRule(consent.saved, rule, reader);
  return "once";
}

const readNothing: ReadCurrent = async () => undefined;

async function saveRule(saved: SavedRules, rule: SavedRule, { write, locale }: AskAboutCallOptions["reader"]) {
  const shown = showLookAlikes(sanitizeLine(renderSavedRule(rule)));
  try {
    await saved.add(rule);
    write(
      createLine(
        say(locale, {
          zh: `已保存规则：${shown}（/permissions 可撤销）`,
          en: `Saved: ${shown} (/permissions revokes it)`,
        }),
        "dim",
      ),
    );
  } catch (thrown) {
    const reason = getMessage(thrown);
    write(
      say(locale, {
        zh: `⚠ 规则没有保存：${reason}。只允许这一次。`,
        en: `⚠ The rule was not saved: ${reason}. This call alone is allowed.`,
      }),
    );
  }
}

function describeAllowed(tool: string, rule: SavedRule, { locale }: Pick<Reader, "locale">): string {
  const shown = showLookAlikes(sanitizeLine(renderSavedRule(rule)));
  return say(locale, {
    zh: `🔐 ${sanitizeLine(tool)}：保存的规则 ${shown} 允许执行`,
    en: `🔐 ${sanitizeLine(tool)}: allowed by the saved rule ${shown}`,
  });
}

/** Returns lines as they are shown: a long one goes on behind its gutter, so that no text can pass for a line of ours. */
export function toShownLines(
  lines: readonly (string | ReviewLine)[],
  { columns }: Pick<Reader, "columns">,
): (string | Line)[] {
  return lines.flatMap((line): (string | Line)[] => {
    if (typeof line === "string") return [line];
    const { role, gutter, text } = line;
    const look = styles[role];
    if (columns === undefined) return [createLine(gutter + text, ...look)];
    const hanging = gutter.startsWith("│") ? `│${" ".repeat(gutter.length - 1)}` : "";
    return wrapLine(createLine(text, ...look), columns(), {
      indent: createLine(gutter, ...look),
      hanging: createLine(hanging, ...look),
    });
  });
}

const styles: Record<ReviewLine["role"], readonly Style[]> = {
  heading: ["strong"],
  added: ["good"],
  removed: ["bad"],
  same: ["dim"],
  text: [],
  command: ["accent"],
  note: ["dim"],
};
