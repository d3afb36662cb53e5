import type { Gateway } from "../../app/open-duet.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { type Locale, say } from "../../kit/locale.ts";

export interface ReportUnapprovedOptions {
  gateway: Gateway;
  locale: Locale;
  log(line: string): void;
}

/** Tells the operator how many tools wait to be approved, each time the number has changed; until the function that it gives is called. */
export function reportUnapproved({ gateway, locale, log }: ReportUnapprovedOptions): () => void {
  let reported = 0;
  let isOver = false;

  async function reportCount(): Promise<void> {
    const waiting = await gateway.waiting();
    const count = waiting.length;
    if (isOver || count === reported) return;
    reported = count;
    if (count === 0) return;
    const servers = [...new Set(waiting.map(({ server }) => server))].join(", ");
    const words = {
      zh: `有 ${count} 个工具是新的或有变化（${servers}），批准前不会使用：duet tools approve`,
      en: `Tools that are new or changed and are not used until approved: ${count} (${servers}); run duet tools approve`,
    };
    log(say(locale, words));
  }

  const unlisten = gateway.onChange((list) => {
    if (list === "tools") void ignoreRejection(reportCount(), "whoever wants the tools is told");
  });
  // Servers whose part of the program cannot be loaded are told of by whoever wants their tools.
  void ignoreRejection(reportCount(), "whoever wants the tools is told");
  return () => {
    isOver = true;
    unlisten();
  };
}
