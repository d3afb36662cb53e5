import type { NoticeKind } from "../notices/define-notice.ts";
import type { ToolContext } from "./tool.ts";

/** Tells the reader of a call a notice of a kind. */
export function reportNotice<Facts>(
  { notice }: Pick<ToolContext, "notice">,
  { code, level, describe }: NoticeKind<Facts>,
  facts: Facts,
): void {
  if (level === "warning") notice(code, describe(facts), level);
  else notice(code, describe(facts));
}
